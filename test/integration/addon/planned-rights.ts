import {
  type TemplateRegistration,
  addOnTemplates,
  clusterManagementAddOns,
  clusterRoleBindings,
  clusterRoles,
  namespaces,
  roleBindings,
  roles,
  subjectAccessReviews,
} from '@outrigger/api';
import { type JsonObject, type KubeObject, parseApiVersion } from '@outrigger/core';
import { planChange, type Right } from '@outrigger/hub/planner';
import type { Client } from '@outrigger/kube';
import { expect } from 'vitest';
import { addCluster, eventuallyIs, install, templateOf } from './objects.js';
import { AGENT_NAMESPACE, GROUP_NAMESPACE, OTHER_NAMESPACE, type RightsCase, clusterRole, role, rule } from './planned-rights-cases.js';
import { type Probe, matches, probesFor, probeText } from './rights-probes.js';
import type { AddOnWorld } from './world.js';

const RBAC = 'rbac.authorization.k8s.io';
const ADD_ON = 'planned-rights';
const CLUSTER = 'rights1';
const HUB_NAMESPACE = 'rights-hub';
const HUB_GROUP = `Group system:open-cluster-management:cluster:${CLUSTER}:addon:${ADD_ON}`;

/**
 * The permissions on the hub that each version requests: in the namespace of the cluster and in one other namespace, by ClusterRole and by
 * Role.
 */
const HUB_PERMISSIONS = {
  v1: [
    { type: 'CurrentCluster', currentCluster: { clusterRoleName: 'rights-old' } },
    {
      type: 'SingleNamespace',
      singleNamespace: { namespace: HUB_NAMESPACE, roleRef: { apiGroup: RBAC, kind: 'Role', name: 'rights-here' } },
    },
  ],
  v2: [
    { type: 'CurrentCluster', currentCluster: { clusterRoleName: 'rights-new' } },
    {
      type: 'SingleNamespace',
      singleNamespace: { namespace: HUB_NAMESPACE, roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'rights-total' } },
    },
  ],
} as const;

const HUB_ROLES: readonly JsonObject[] = [
  clusterRole('rights-old', [
    rule(['get', 'list', 'delete'], ['configmaps']),
    rule(['get'], ['secrets'], [''], ['own']),
    { verbs: ['get'], nonResourceURLs: ['/metrics'] },
  ]),
  clusterRole('rights-new', [
    rule(['get', 'list', 'watch'], ['configmaps']),
    rule(['*'], ['leases'], ['coordination.k8s.io']),
    rule(['update'], ['*/status']),
    { verbs: ['get'], nonResourceURLs: ['*'] },
  ]),
  role('rights-here', [rule(['get', 'update'], ['configmaps']), rule(['get'], ['pods'])], HUB_NAMESPACE),
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'rights-total' },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'rights.test/total': 'yes' } }] },
  },
  clusterRole('rights-total-part', [rule(['get', 'patch'], ['configmaps'])], { 'rights.test/total': 'yes' }),
];

type Version = 'v1' | 'v2';

/** Returns a version of the add-on with the given RBAC objects for the add-on's agents. */
function version(name: Version, rbac: readonly JsonObject[]): ReturnType<typeof templateOf> {
  const registration = [
    { type: 'KubeClient', kubeClient: { hubPermissions: HUB_PERMISSIONS[name] } },
  ] as unknown as readonly TemplateRegistration[];
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
 * Compares the permissions that a plan lists with the requests that the API server allows. The API server is also the managed cluster here.
 * If the upgrade changes whether a probe is allowed, the plan must list a matching permission. Every probe that matches a gained permission
 * must be allowed after the upgrade, and every probe that matches a lost permission must have been allowed before it. Each listed
 * permission must match at least one probe whose result the upgrade changes.
 */
export async function plannedRights(world: AddOnWorld, cases: readonly RightsCase[]): Promise<void> {
  const { hub } = world;
  await addCluster(world, CLUSTER);
  for (const name of [AGENT_NAMESPACE, OTHER_NAMESPACE, GROUP_NAMESPACE, HUB_NAMESPACE]) {
    await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  await applyRbac(hub, HUB_ROLES);
  await bindHolders(hub, cases);
  const rbac = { v1: cases.flatMap(({ before }) => before), v2: cases.flatMap(({ after }) => after) };
  await hub.create(addOnTemplates, version('v1', rbac.v1));
  await hub.create(addOnTemplates, version('v2', rbac.v2));
  await hub.create(clusterManagementAddOns, declaration(`${ADD_ON}-v1`));
  await install(world, CLUSTER, ADD_ON);
  await eventuallyIs(world, CLUSTER, ADD_ON, 'RegistrationApplied', 'True SetPermissionApplied');
  await eventuallyIs(world, CLUSTER, ADD_ON, 'Progressing', 'False Succeed');
  await world.eventually('the hub aggregates its roles', async () =>
    ((await hub.get(clusterRoles, { name: 'rights-total' })).rules ?? []).length > 0 ? true : undefined,
  );

  const changed = declaration(`${ADD_ON}-v2`);
  const plan = await planChange(hub, {
    addOn: ADD_ON,
    title: 'to v2',
    change: () => ({ objects: [changed] }),
    from: world.runtime.clock.now(),
    seed: 1,
  });
  expect(plan.inTheWay).toEqual([]);
  const here = (right: Right): Right => JSON.parse(JSON.stringify(right).replaceAll('<cluster>', CLUSTER)) as Right;
  const gained = plan.rights.gained.map(here);
  const lost = plan.rights.lost.map(here);
  const isHeld = (subject: string): boolean => subject.startsWith('ClusterRole ');
  // Kubernetes aggregates these ClusterRoles into one another, so probe each of them with the rules of all of them.
  const aggregatedParts = cases.filter(({ subject }) => isHeld(subject)).flatMap((one) => one.after);
  const probes = [
    ...cases.flatMap(({ subject, before, after }) => probesFor(subject, isHeld(subject) ? aggregatedParts : [...before, ...after])),
    ...probesFor(`Group system:serviceaccounts:${GROUP_NAMESPACE}`, [role('all', [rule(['get', 'list'], ['configmaps'])])]),
    ...probesFor(HUB_GROUP, HUB_ROLES, [CLUSTER, HUB_NAMESPACE, OTHER_NAMESPACE]),
  ];

  await deploy(world, 'v1', [], rbac.v1);
  const before = await reviews(world, probes);
  await hub.patch(
    clusterManagementAddOns,
    { name: ADD_ON },
    { type: 'merge', patch: { spec: (changed as unknown as { spec: JsonObject }).spec } },
  );
  await world.eventually('the hub binds the new roles', async () => {
    const { items } = await hub.list(roleBindings, {});
    const bound = items.map(({ roleRef }) => roleRef.name);
    const isBound = ['rights-new', 'rights-total'].every((name) => bound.includes(name));
    return isBound && !bound.includes('rights-old') && !bound.includes('rights-here') ? true : undefined;
  });
  await deploy(world, 'v2', rbac.v1, rbac.v2);
  const after = await reviews(world, probes);

  const changes = (from: boolean, rights: readonly Right[]): readonly string[] =>
    probes.filter((probe, i) => before[i] === from && after[i] === !from && !rights.some((right) => matches(right, probe))).map(probeText);
  expect({ gained: changes(false, gained), lost: changes(true, lost) }, 'changes that the plan does not list').toEqual({
    gained: [],
    lost: [],
  });
  const wrong = (rights: readonly Right[], granted: readonly boolean[]): readonly string[] =>
    probes.filter((probe, i) => !granted[i] && rights.some((right) => matches(right, probe))).map(probeText);
  expect({ gained: wrong(gained, after), lost: wrong(lost, before) }, 'listed rights that the API server refuses').toEqual({
    gained: [],
    lost: [],
  });
  const idle = (from: boolean, rights: readonly Right[]): readonly Right[] =>
    rights.filter((right) => !probes.some((probe, i) => before[i] === from && after[i] === !from && matches(right, probe)));
  expect({ gained: idle(false, gained), lost: idle(true, lost) }, 'listed rights that change nothing').toEqual({ gained: [], lost: [] });

  const listed = new Set([...gained, ...lost].map(({ subject }) => subject));
  const unlisted = cases.filter(({ subject }) => !listed.has(subject)).map(({ name }) => name);
  expect(unlisted).toEqual(cases.filter(({ isUnchanged }) => isUnchanged).map(({ name }) => name));
  expect(listed).toContain(HUB_GROUP);
  expect(plan.rights.unknown).toEqual([]);
}

/** Binds one user to each ClusterRole that a case names as its subject. */
async function bindHolders(hub: Client, cases: readonly RightsCase[]): Promise<void> {
  for (const { subject } of cases) {
    const [kind, name = ''] = subject.split(' ');
    if (kind !== 'ClusterRole') continue;
    await hub.create(clusterRoleBindings, {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: `rights-holder-${name}` },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
      subjects: [{ kind: 'User', apiGroup: RBAC, name: `holder-${name}` }],
    });
  }
}

/**
 * Applies the RBAC objects of a version and deletes those of the previous version, as the agent of a managed cluster does. Resolves when
 * the API server applies the new rules.
 */
async function deploy(world: AddOnWorld, name: Version, old: readonly JsonObject[], rbac: readonly JsonObject[]): Promise<void> {
  const { hub } = world;
  const kept = new Set(rbac.map(identityOf));
  for (const object of old.filter((one) => !kept.has(identityOf(one)))) {
    const placed = placedObject(object);
    const kind = await kindOf(hub, placed);
    await hub.delete(kind, {
      name: placed.metadata.name ?? '',
      ...(placed.metadata.namespace ? { namespace: placed.metadata.namespace } : {}),
    });
  }
  await applyRbac(hub, rbac);
  await world.eventually('the API server has aggregated the roles', async () => {
    const { items } = await hub.list(clusterRoles, {});
    const isDone = rbac
      .filter((one) => 'aggregationRule' in one || hasAggregationLabel(one))
      .every((one) => isAggregated(one, rbac, items));
    return isDone ? true : undefined;
  });
  // The API server receives the objects of each kind in order, and the markers are written last. When the API server uses the markers, it
  // uses all objects.
  const probes = await markers(hub, name);
  await world.eventually(`the API server knows the roles of ${name}`, async () =>
    (await reviews(world, probes)).every(Boolean) ? true : undefined,
  );
}

/**
 * Returns a key for the object. The key includes the roleRef, because the roleRef of a binding cannot change: another role needs a new
 * binding.
 */
function identityOf(object: JsonObject): string {
  const { kind, metadata, roleRef } = placedObject(object) as KubeObject & { readonly roleRef?: unknown };
  return JSON.stringify([kind, metadata.namespace, metadata.name, roleRef]);
}

function placedObject(object: JsonObject): KubeObject {
  const placed = object as unknown as KubeObject;
  if (!placed.kind.startsWith('Role') || placed.metadata.namespace) return placed;
  return { ...placed, metadata: { ...placed.metadata, namespace: 'default' } };
}

function hasAggregationLabel(object: JsonObject): boolean {
  const { labels = {} } = (object as unknown as KubeObject).metadata;
  return Object.keys(labels).some((label) => label.startsWith(`${RBAC}/aggregate-to-`));
}

/** Whether the API server has added the rules of all selected ClusterRoles to an aggregated ClusterRole. */
function isAggregated(object: JsonObject, rbac: readonly JsonObject[], stored: readonly KubeObject[]): boolean {
  const rulesIn = (name: string): string =>
    JSON.stringify((stored.find(({ metadata }) => metadata.name === name) as JsonObject | undefined)?.['rules'] ?? []);
  if (hasAggregationLabel(object))
    return rulesIn('admin').includes((object as unknown as KubeObject).metadata.name?.replace('rights-', '') ?? '');
  const { metadata } = object as unknown as KubeObject;
  const parts = rbac.filter((one) => (one as unknown as KubeObject).metadata.labels?.['rights.test/sum'] === 'yes');
  const wanted = parts.flatMap((one) => one['rules'] as unknown as readonly JsonObject[]);
  const own = JSON.parse(rulesIn(metadata.name ?? '')) as readonly {
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
  const text = (one: { readonly resources?: unknown; readonly verbs?: unknown }): string => JSON.stringify([one.resources, one.verbs]);
  return JSON.stringify(own.map(text).sort()) === JSON.stringify(wanted.map(text).sort());
}

async function markers(hub: Client, name: Version): Promise<readonly Probe[]> {
  const marker = `rights-marker-${name}`;
  const subjects = [{ kind: 'User', apiGroup: RBAC, name: marker }] as const;
  const apiVersion = `${RBAC}/v1`;
  const ref = (kind: 'Role' | 'ClusterRole') => ({ apiGroup: RBAC, kind, name: marker }) as const;
  const metadata = { name: marker, namespace: AGENT_NAMESPACE };
  await hub.create(roles, role(marker, [rule(['get'], ['pods'])]) as unknown as KubeObject);
  await hub.create(clusterRoles, clusterRole(marker, [rule(['get'], ['nodes'])]) as unknown as KubeObject);
  await hub.create(roleBindings, { apiVersion, kind: 'RoleBinding', metadata, roleRef: ref('Role'), subjects });
  await hub.create(clusterRoleBindings, {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name: marker },
    roleRef: ref('ClusterRole'),
    subjects,
  });
  const probe = { subject: `User ${marker}`, verb: 'get', group: '', name: undefined, path: undefined };
  return [
    { ...probe, resource: 'pods', namespace: AGENT_NAMESPACE },
    { ...probe, resource: 'nodes', namespace: '' },
  ];
}

async function kindOf(hub: Client, { apiVersion, kind }: KubeObject) {
  const { group, version: served } = parseApiVersion(apiVersion);
  const found = await hub.discovery.kindOf({ group, version: served, kind });
  if (!found) throw new Error(`${kind} is not served`);
  return found;
}

async function applyRbac(hub: Client, objects: readonly JsonObject[]): Promise<void> {
  for (const object of objects.map(placedObject)) {
    const kind = await kindOf(hub, object);
    await hub.apply(kind, object, { fieldManager: 'agent', force: true });
  }
}

/** The number of requests that are sent at the same time. */
const CONCURRENT = 16;

/** Returns, for each probe, whether the API server allows the request. */
async function reviews({ hub }: AddOnWorld, probes: readonly Probe[]): Promise<readonly boolean[]> {
  const answers: boolean[] = [];
  for (let i = 0; i < probes.length; i += CONCURRENT) {
    answers.push(...(await Promise.all(probes.slice(i, i + CONCURRENT).map((probe) => review(hub, probe)))));
  }
  return answers;
}

async function review(hub: Client, { subject, verb, group, resource, namespace, name, path }: Probe): Promise<boolean> {
  const [plural = '', subresource] = resource.split('/');
  const attributes =
    path === undefined
      ? {
          resourceAttributes: {
            verb,
            group,
            resource: plural,
            namespace,
            ...(subresource === undefined ? {} : { subresource }),
            ...(name === undefined ? {} : { name }),
          },
        }
      : { nonResourceAttributes: { path, verb } };
  const answer = await hub.create(subjectAccessReviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: { ...identity(subject), ...attributes },
  });
  return (answer as KubeObject & { readonly status?: { readonly allowed?: boolean } }).status?.allowed === true;
}

function identity(subject: string): { readonly user: string; readonly groups: readonly string[] } {
  const [kind, name = ''] = subject.split(' ');
  if (kind === 'Group') return { user: 'member', groups: [name, 'system:authenticated'] };
  if (kind === 'ClusterRole') return { user: `holder-${name}`, groups: ['system:authenticated'] };
  if (kind === 'User') return { user: name, groups: ['system:authenticated'] };
  const [namespace = '', account = ''] = name.split('/');
  return {
    user: `system:serviceaccount:${namespace}:${account}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}
