import { ISSUER_PATHS } from '../auth/issuer-documents.js';
import { aggregatedRules } from './aggregation.js';
import type { Binding, PolicyRule, Role } from './policy.js';
import { RBAC_GROUP } from './policy.js';

/**
 * Returns the roles that a Kubernetes API server creates at its first start and that this server uses. Their names, rules and labels are
 * those of a real server, so that manifests that reference them or aggregate into them behave in the same way.
 */
export function bootstrapRoles(): Role[] {
  const roles: Role[] = [
    role('cluster-admin', [rule('*', ['*'], ['*']), { nonResourceURLs: ['*'], verbs: ['*'] }]),
    role('system:aggregate-to-admin', ADMIN, { [TO('admin')]: 'true' }),
    role('system:aggregate-to-edit', EDIT, { [TO('edit')]: 'true' }),
    role('system:aggregate-to-view', VIEW, { [TO('view')]: 'true' }),
    role('system:basic-user', [
      rule('authorization.k8s.io', ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], ['create']),
      rule('authentication.k8s.io', ['selfsubjectreviews'], ['create']),
    ]),
    role('system:discovery', [urls([...DISCOVERY_PATHS, ...HEALTH_PATHS])]),
    role('system:service-account-issuer-discovery', [urls(ISSUER_PATHS.flatMap((path) => [path, `${path}/`]))]),
    role('system:public-info-viewer', [urls(HEALTH_PATHS)]),
    role('system:auth-delegator', [
      rule('authentication.k8s.io', ['tokenreviews'], ['create']),
      rule('authorization.k8s.io', ['subjectaccessreviews'], ['create']),
    ]),
    role('system:monitoring', [urls(['/healthz', '/healthz/*', '/livez', '/livez/*', '/metrics', '/readyz', '/readyz/*'])]),
    role('system:certificates.k8s.io:kube-apiserver-client-approver', [
      { ...rule('certificates.k8s.io', ['signers'], ['approve']), resourceNames: ['kubernetes.io/kube-apiserver-client'] },
    ]),
  ];
  // Compute the rules of the aggregated roles here: `view` first, because `edit` aggregates it, and then `admin`. Otherwise the aggregation
  // controller would write all three roles again at the start.
  for (const aggregated of [
    aggregate('view', { [TO('edit')]: 'true' }),
    aggregate('edit', { [TO('admin')]: 'true' }),
    aggregate('admin', {}),
  ]) {
    roles.push({ ...aggregated, rules: aggregatedRules(aggregated, roles) });
  }
  return roles;
}

export function bootstrapBindings(): Binding[] {
  return [
    bind('cluster-admin', ['system:masters']),
    bind('system:basic-user', ['system:authenticated']),
    bind('system:discovery', ['system:authenticated']),
    bind('system:public-info-viewer', ['system:authenticated', 'system:unauthenticated']),
    bind('system:service-account-issuer-discovery', ['system:serviceaccounts']),
    bind('system:monitoring', ['system:monitoring']),
  ];
}

const TO = (name: string): string => `rbac.authorization.k8s.io/aggregate-to-${name}`;
const DISCOVERY_PATHS = ['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*'];
const HEALTH_PATHS = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const ACCESS = ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy'];
const WORKLOADS = ['daemonsets', 'deployments', 'replicasets', 'statefulsets'];
const SCALES = ['deployments/scale', 'replicasets/scale', 'statefulsets/scale'];

const ADMIN: PolicyRule[] = [
  rule('authorization.k8s.io', ['localsubjectaccessreviews'], ['create']),
  rule(RBAC_GROUP, ['rolebindings', 'roles'], [...WRITE, ...READ]),
];

const EDIT: PolicyRule[] = [
  rule('', [...ACCESS, 'secrets', 'services/proxy'], READ),
  rule('', ['serviceaccounts'], ['impersonate']),
  rule('', ['pods', ...ACCESS], WRITE),
  rule('', ['pods/eviction', 'serviceaccounts/token'], ['create']),
  rule(
    '',
    [
      'configmaps',
      'persistentvolumeclaims',
      'replicationcontrollers',
      'replicationcontrollers/scale',
      'secrets',
      'serviceaccounts',
      'services',
      'services/proxy',
    ],
    WRITE,
  ),
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: WRITE },
  rule('apps', [...WORKLOADS, 'deployments/rollback', ...SCALES], WRITE),
  rule('autoscaling', ['horizontalpodautoscalers'], WRITE),
  rule('batch', ['cronjobs', 'jobs'], WRITE),
  rule('policy', ['poddisruptionbudgets'], WRITE),
  rule('networking.k8s.io', ['ingresses', 'networkpolicies'], WRITE),
  rule('coordination.k8s.io', ['leases'], [...WRITE, ...READ]),
];

const VIEW: PolicyRule[] = [
  rule(
    '',
    [
      'bindings',
      'configmaps',
      'endpoints',
      'limitranges',
      'namespaces',
      'namespaces/status',
      'persistentvolumeclaims',
      'persistentvolumeclaims/status',
      'pods',
      'pods/log',
      'pods/status',
      'replicationcontrollers',
      'replicationcontrollers/scale',
      'replicationcontrollers/status',
      'resourcequotas',
      'resourcequotas/status',
      'serviceaccounts',
      'services',
      'services/status',
    ],
    READ,
  ),
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: READ },
  rule('discovery.k8s.io', ['endpointslices'], READ),
  rule('apps', ['controllerrevisions', ...WORKLOADS, ...WORKLOADS.map((name) => `${name}/status`), ...SCALES], READ),
  rule('autoscaling', ['horizontalpodautoscalers', 'horizontalpodautoscalers/status'], READ),
  rule('batch', ['cronjobs', 'cronjobs/status', 'jobs', 'jobs/status'], READ),
  rule('policy', ['poddisruptionbudgets', 'poddisruptionbudgets/status'], READ),
  rule('networking.k8s.io', ['ingresses', 'ingresses/status', 'networkpolicies'], READ),
];

function rule(apiGroup: string, resources: readonly string[], verbs: readonly string[]): PolicyRule {
  return { apiGroups: [apiGroup], resources, verbs };
}

function urls(paths: readonly string[]): PolicyRule {
  return { nonResourceURLs: paths, verbs: ['get'] };
}

function metadata(name: string, labels: Readonly<Record<string, string>> = {}): Role['metadata'] {
  return {
    name,
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  };
}

function role(name: string, rules: readonly PolicyRule[], labels?: Readonly<Record<string, string>>): Role {
  return { apiVersion: `${RBAC_GROUP}/v1`, kind: 'ClusterRole', metadata: metadata(name, labels), rules };
}

function aggregate(name: string, labels: Readonly<Record<string, string>>): Role {
  return { ...role(name, [], labels), aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [TO(name)]: 'true' } }] } };
}

function bind(name: string, groups: readonly string[]): Binding {
  return {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: metadata(name),
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name },
    subjects: groups.map((group) => ({ apiGroup: RBAC_GROUP, kind: 'Group', name: group })),
  };
}
