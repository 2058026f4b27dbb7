import { addOnTemplates, clusterManagementAddOns, clusterRoles, namespaces, roleBindings, subjectAccessReviews } from '@outrigger/api';
import { type JsonObject, type KubeObject, parseApiVersion } from '@outrigger/core';
import { type Plan, planChange, type Right } from '@outrigger/hub/planner';
import type { Client } from '@outrigger/kube';
import { expect } from 'vitest';
import { addCluster, eventuallyIs, install, templateOf } from './objects.js';
import type { AddOnWorld } from './world.js';

const RBAC = 'rbac.authorization.k8s.io';
const ADD_ON = 'planned-rights';
const CLUSTER = 'rights1';
/** The namespace of the agent on the managed cluster. In this scenario the hub is its own managed cluster. */
const AGENT_NAMESPACE = 'rights-agent';

const rule = (verbs: readonly string[], resources: readonly string[], apiGroups: readonly string[] = [''], rest: object = {}) => ({
  apiGroups,
  resources,
  verbs,
  ...rest,
});

const binding = (kind: 'RoleBinding' | 'ClusterRoleBinding', name: string, role: readonly [kind: string, name: string]): JsonObject => ({
  apiVersion: `${RBAC}/v1`,
  kind,
  metadata: { name, ...(kind === 'RoleBinding' ? { namespace: AGENT_NAMESPACE } : {}) },
  roleRef: { apiGroup: RBAC, kind: role[0], name: role[1] },
  subjects: [{ kind: 'ServiceAccount', namespace: AGENT_NAMESPACE, name: 'agent' }],
});

const role = (kind: 'Role' | 'ClusterRole', name: string, rules: readonly object[]): JsonObject => ({
  apiVersion: `${RBAC}/v1`,
  kind,
  metadata: { name, ...(kind === 'Role' ? { namespace: AGENT_NAMESPACE } : {}) },
  rules: rules as unknown as JsonObject[],
});

/** Returns a version with one hub permission and these RBAC objects for its agent. */
function version(name: 'v1' | 'v2', clusterRoleName: string, rbac: readonly JsonObject[]): ReturnType<typeof templateOf> {
  const registration = [
    {
      type: 'KubeClient' as const,
      kubeClient: { hubPermissions: [{ type: 'CurrentCluster' as const, currentCluster: { clusterRoleName } }] },
    },
  ];
  const template = templateOf(ADD_ON, { name: `${ADD_ON}-${name}`, version: name, registration });
  const manifests = [...(template.spec.agentSpec.workload?.manifests ?? []), ...rbac];
  return { ...template, spec: { ...template.spec, agentSpec: { ...template.spec.agentSpec, workload: { manifests } } } };
}

const declaration = (template: string): KubeObject =>
  ({
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ClusterManagementAddOn',
    metadata: { name: ADD_ON },
    spec: {
      supportedConfigs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', defaultConfig: { name: template } }],
    },
  }) as unknown as KubeObject;

/**
 * Compares the permissions in a plan with the decisions of the API server. Each gained permission is refused before the upgrade and granted
 * after it, each lost one is granted before and refused after it, and no other permission in a large sample changes.
 */
export async function plannedRights(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  await addCluster(world, CLUSTER);
  await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: AGENT_NAMESPACE } });
  const hubRole = (name: string, rules: readonly object[]): Promise<unknown> =>
    hub.create(clusterRoles, role('ClusterRole', name, rules) as unknown as KubeObject);
  await hubRole('rights-old', [
    rule(['get', 'list', 'delete'], ['configmaps']),
    rule(['get'], ['secrets'], [''], { resourceNames: ['own'] }),
  ]);
  await hubRole('rights-new', [rule(['get', 'list', 'watch'], ['configmaps']), rule(['*'], ['leases'], ['coordination.k8s.io'])]);
  await hub.create(
    addOnTemplates,
    version('v1', 'rights-old', [
      role('Role', 'agent', [rule(['get', 'update'], ['pods'])]),
      binding('RoleBinding', 'agent', ['Role', 'agent']),
      role('ClusterRole', 'rights-agent', [rule(['get', 'list'], ['nodes'])]),
      binding('ClusterRoleBinding', 'rights-agent', ['ClusterRole', 'rights-agent']),
    ]),
  );
  await hub.create(
    addOnTemplates,
    version('v2', 'rights-new', [
      role('Role', 'agent', [rule(['get', 'create'], ['pods']), rule(['get'], ['deployments'], ['apps'])]),
      binding('RoleBinding', 'agent', ['Role', 'agent']),
      role('ClusterRole', 'rights-agent', [rule(['get'], ['nodes', 'pods'])]),
      binding('ClusterRoleBinding', 'rights-agent', ['ClusterRole', 'rights-agent']),
    ]),
  );
  await hub.create(clusterManagementAddOns, declaration(`${ADD_ON}-v1`));
  await install(world, CLUSTER, ADD_ON);
  await eventuallyIs(world, CLUSTER, ADD_ON, 'RegistrationApplied', 'True SetPermissionApplied');
  await eventuallyIs(world, CLUSTER, ADD_ON, 'Progressing', 'False Succeed');

  const changed = declaration(`${ADD_ON}-v2`);
  const plan = await planChange(hub, {
    addOn: ADD_ON,
    title: 'to v2',
    change: () => ({ objects: [changed] }),
    from: world.runtime.clock.now(),
    seed: 1,
  });
  expect(plan.inTheWay).toEqual([]);
  expect(plan.rights.unknown).toEqual([]);
  const [difference] = plan.differences;
  await applyRbac(hub, difference?.before ?? []);
  const asked = [...plan.rights.gained, ...plan.rights.lost, ...choiceFor(plan)];
  const areGranted = async (rights: readonly Right[]): Promise<true | undefined> =>
    (await reviews(world, rights)).every(Boolean) ? true : undefined;
  await world.eventually('the API server knows the roles of v1', () => areGranted(plan.rights.lost));
  const before = await reviews(world, asked);

  await hub.patch(
    clusterManagementAddOns,
    { name: ADD_ON },
    { type: 'merge', patch: { spec: (changed as unknown as { spec: JsonObject }).spec } },
  );
  await world.eventually('the hub binds the new role', async () => {
    const { items } = await hub.list(roleBindings, { namespace: CLUSTER });
    const bound = items.map(({ roleRef }) => roleRef.name);
    return bound.includes('rights-new') && !bound.includes('rights-old') ? true : undefined;
  });
  await applyRbac(hub, difference?.after ?? []);
  await world.eventually('the API server knows the roles of v2', () => areGranted(plan.rights.gained));
  await world.eventually('the API server has dropped those of v1', async () =>
    (await reviews(world, plan.rights.lost)).some(Boolean) ? undefined : true,
  );
  const after = await reviews(world, asked);

  const announced = (rights: readonly Right[]): readonly string[] => [...new Set(rights.flatMap(expanded).map(textOf))].sort();
  const all = new Set([...announced(plan.rights.gained), ...announced(plan.rights.lost)]);
  // A permission in all namespaces includes the permission in each namespace.
  const isImplied = (right: Right): boolean => right.namespace !== '' && all.has(textOf({ ...right, namespace: '' }));
  const changes = (from: boolean, to: boolean): readonly string[] => {
    const changed = asked.filter((right, i) => before[i] === from && after[i] === to && !isImplied(right));
    return [...new Set(changed.map(textOf))].sort();
  };
  expect(announced(plan.rights.gained).length).toBeGreaterThan(4);
  expect(changes(false, true)).toEqual(announced(plan.rights.gained));
  expect(changes(true, false)).toEqual(announced(plan.rights.lost));
}

/** Applies the RBAC objects among the manifests, as the agent of a managed cluster does. */
async function applyRbac(hub: Client, manifests: readonly JsonObject[]): Promise<void> {
  for (const manifest of manifests as readonly unknown[] as readonly KubeObject[]) {
    const { group, version: served } = parseApiVersion(manifest.apiVersion);
    if (group !== RBAC) continue;
    const kind = await hub.discovery.kindOf({ group, version: served, kind: manifest.kind });
    if (!kind) throw new Error(`${manifest.kind} is not served`);
    await hub.apply(kind, manifest, { fieldManager: 'agent', force: true });
  }
}

const RESOURCES = ['configmaps', 'secrets', 'leases.coordination.k8s.io', 'pods', 'nodes', 'deployments.apps'];
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'delete'];

/** Returns every verb on every resource, for each subject and namespace that the plan names. */
function choiceFor({ rights }: Plan): readonly Right[] {
  const places = new Map([...rights.gained, ...rights.lost].map((right) => [`${right.subject} ${right.namespace}`, right] as const));
  return [...places.values()].flatMap((right) => {
    const { resourceName: _, ...place } = right;
    return RESOURCES.flatMap((resource) => VERBS.map((verb) => ({ ...place, resource, verb })));
  });
}

/** Expands a permission with a wildcard verb to the permission for each verb. */
function expanded(right: Right): readonly Right[] {
  return right.verb === '*' ? [...VERBS, '*'].map((verb) => ({ ...right, verb })) : [right];
}

function textOf({ subject, verb, resource, namespace, resourceName = '' }: Right): string {
  return [subject, verb, resource, resourceName, namespace].join(' ');
}

/** Returns, for each permission, whether the API server grants it. */
async function reviews({ hub }: AddOnWorld, rights: readonly Right[]): Promise<readonly boolean[]> {
  const answers: boolean[] = [];
  for (const { subject, verb, resource, namespace, resourceName } of rights) {
    const dot = resource.indexOf('.');
    const [plural, group] = dot < 0 ? [resource, ''] : [resource.slice(0, dot), resource.slice(dot + 1)];
    const [kind, name = ''] = subject.replaceAll('<cluster>', CLUSTER).split(' ');
    const [account = '', own = ''] = name.split('/');
    const identity = kind === 'Group' ? { user: 'agent', groups: [name] } : { user: `system:serviceaccount:${account}:${own}` };
    const resourceAttributes = {
      verb,
      group,
      resource: plural,
      namespace: namespace.replaceAll('<cluster>', CLUSTER),
      ...(resourceName === undefined ? {} : { name: resourceName }),
    };
    const review = await hub.create(subjectAccessReviews, {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: { ...identity, resourceAttributes },
    });
    answers.push((review as KubeObject & { readonly status?: { readonly allowed?: boolean } }).status?.allowed === true);
  }
  return answers;
}
