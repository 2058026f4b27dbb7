import {
  type AddOnTemplate,
  CLUSTER_SET_LABEL,
  type ManagedCluster,
  type ManagedClusterSetBinding,
  addOnTemplates,
  clusterManagementAddOns,
  clusterRoleBindings,
  clusterRoles,
  managedClusterAddOns,
  managedClusterSetBindings,
  managedClusters,
  manifestWorkReplicaSets,
  manifestWorks,
  namespaces,
  roleBindings,
  roles,
} from '@outrigger/api';
import { type JsonObject, type Kind, type KubeObject, type ObjectKey, apiVersionOf, isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OwnClusterWorld } from './own-cluster.js';
import { answerOf } from './scenario.js';

const PLACE = 'writers';
const RBAC = 'rbac.authorization.k8s.io';
const WORK_GROUP = 'work.open-cluster-management.io';
const ADDON_GROUP = 'addon.open-cluster-management.io';
const EXECUTOR = { subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'runners', name: 'runner' } } };
const OTHER = { subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'runners', name: 'other' } } };
const EXECUTE_AS = {
  apiGroups: [WORK_GROUP],
  resources: ['manifestworks'],
  verbs: ['execute-as'],
  resourceNames: ['system:serviceaccount:runners:runner'],
};
const WRITES = ['get', 'list', 'create', 'update', 'patch', 'delete'];
const WORKLOAD = { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace: 'default' } }] };

/** A kind whose objects may have an executor, with a function that builds an object and the path of the executor. */
interface Executing {
  readonly kind: Kind;
  object(name: string, executor?: object): KubeObject;
  readonly path: string;
}

const KINDS: readonly Executing[] = [
  {
    kind: manifestWorks,
    object: (name, executor) => of(manifestWorks, name, { workload: WORKLOAD, ...(executor ? { executor } : {}) }),
    path: '/spec/executor',
  },
  {
    kind: manifestWorkReplicaSets,
    object: (name, executor) =>
      of(manifestWorkReplicaSets, name, {
        placementRefs: [{ name: 'none' }],
        manifestWorkTemplate: { workload: WORKLOAD, ...(executor ? { executor } : {}) },
      }),
    path: '/spec/manifestWorkTemplate/executor',
  },
  {
    kind: addOnTemplates,
    object: (name, executor) =>
      of(addOnTemplates, name, { addonName: name, agentSpec: { workload: WORKLOAD, ...(executor ? { executor } : {}) } }),
    path: '/spec/agentSpec/executor',
  },
];

/** A merge patch that sets or removes the executor. */
function executorPatch(path: string, executor: object | null): JsonObject {
  const fields = path.split('/').slice(1);
  return fields.reduceRight<unknown>((value, field) => ({ [field]: value }), executor) as JsonObject;
}

function of(kind: Kind, name: string, spec: object): KubeObject {
  const metadata = { name, ...(kind.namespaced ? { namespace: PLACE } : {}) };
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec } as KubeObject;
}

const groupsOf = (): readonly string[] => ['system:authenticated'];

/** Defines the tests of rules about a writer's permissions that only admission can check. The tests run on any API server. */
export function describeWriterRights(title: string, world: () => OwnClusterWorld): void {
  describe(`the rights of a writer, ${title}`, () => {
    const writer = (): Client => world().as('writer', groupsOf());
    const placed = (): Client => world().as('placed-writer', groupsOf());
    const everywhere = (): Client => world().as('everywhere-writer', groupsOf());
    const owner = (): Client => world().as('owner', groupsOf());
    const author = (): Client => world().as('author', groupsOf());

    beforeAll(async () => {
      const { hub } = world();
      await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: PLACE } });
      const works = { apiGroups: [WORK_GROUP], resources: ['manifestworks', 'manifestworkreplicasets'], verbs: WRITES };
      const addOns = { apiGroups: [ADDON_GROUP], resources: ['managedclusteraddons', 'clustermanagementaddons'], verbs: WRITES };
      const templates = { apiGroups: [ADDON_GROUP], resources: ['addontemplates'], verbs: WRITES };
      const readTemplates = { apiGroups: [ADDON_GROUP], resources: ['addontemplates'], verbs: ['get', 'list'] };
      await grant(hub, 'writer', [works, templates]);
      await grant(hub, 'placed-writer', [works, templates]);
      await grantIn(hub, PLACE, 'placed-writer', [EXECUTE_AS]);
      await grant(hub, 'everywhere-writer', [works, templates, EXECUTE_AS]);
      await grant(hub, 'owner', [addOns, readTemplates]);
      await grant(hub, 'author', [addOns, readTemplates, { ...readTemplates, verbs: ['create'] }]);
      await world().eventually('rights are in effect', async () => {
        const answers = await Promise.all([
          answerOf(writer().list(manifestWorks, { namespace: PLACE })),
          answerOf(everywhere().create(manifestWorks, { ...KINDS[0]?.object('probe', EXECUTOR) } as never, { dryRun: true })),
          answerOf(placed().create(manifestWorks, { ...KINDS[0]?.object('probe', EXECUTOR) } as never, { dryRun: true })),
          answerOf(owner().list(addOnTemplates)),
          answerOf(author().list(addOnTemplates)),
        ]);
        return answers.every((answer) => answer === 'allowed') ? true : undefined;
      });
    });

    describe.each(KINDS)('AT-16 the executor of a $kind.kind', ({ kind, object, path }) => {
      const patch = (executor: object | null): JsonObject => executorPatch(path, executor);
      const name = (of: string): string => `${of}-${kind.plural}`;

      it('needs a right when an object is created with it, by create, apply and replace', async () => {
        const { message, reason } = await refusalOf(writer().create(kind, object(name('created'), EXECUTOR)));
        expect([reason, message]).toEqual(['BadRequest', expect.stringContaining('executor runners/runner')]);
        expect(await answerOf(writer().apply(kind, object(name('applied'), EXECUTOR), { fieldManager: 'w' }))).toBe('BadRequest');
        expect(await answerOf(writer().create(kind, object(name('plain'))))).toBe('allowed');
      });

      it('needs a right when an update adds, changes or removes it, by every kind of update', async () => {
        const { hub } = world();
        const keyOf = (of: string): ObjectKey => ({ ...(kind.namespaced ? { namespace: PLACE } : {}), name: name(of) });
        await hub.create(kind, object(name('without')));
        await hub.create(kind, object(name('with'), EXECUTOR));
        const outcomes: Record<string, string> = {};
        const attempt = async (what: string, write: Promise<unknown>): Promise<void> => void (outcomes[what] = await answerOf(write));
        const add = { op: 'add', path, value: EXECUTOR } as const;
        await attempt('merge adds', writer().patch(kind, keyOf('without'), { type: 'merge', patch: patch(EXECUTOR) }));
        await attempt('json adds', writer().patch(kind, keyOf('without'), { type: 'json', patch: [add] }));
        await attempt('apply adds', writer().apply(kind, object(name('without'), EXECUTOR), { fieldManager: 'w', force: true }));
        await attempt(
          'replace adds',
          replaced(writer(), kind, keyOf('without'), (old) => withSpec(old, object('x', EXECUTOR))),
        );
        await attempt('merge changes', writer().patch(kind, keyOf('with'), { type: 'merge', patch: patch(OTHER) }));
        await attempt('merge removes', writer().patch(kind, keyOf('with'), { type: 'merge', patch: patch(null) }));
        await attempt('json removes', writer().patch(kind, keyOf('with'), { type: 'json', patch: [{ op: 'remove', path }] }));
        await attempt(
          'replace removes',
          replaced(writer(), kind, keyOf('with'), (old) => withSpec(old, object('x'))),
        );
        await attempt('label', writer().patch(kind, keyOf('with'), { type: 'merge', patch: { metadata: { labels: { a: 'b' } } } }));
        const refused = Object.fromEntries(Object.keys(outcomes).map((what) => [what, what === 'label' ? 'allowed' : 'BadRequest']));
        expect(outcomes).toEqual(refused);
      });

      it('is allowed with the right, for a set and a template only with the right on all clusters', async () => {
        const isWork = kind === manifestWorks;
        expect(await answerOf(placed().create(kind, object(name('placed'), EXECUTOR)))).toBe(isWork ? 'allowed' : 'BadRequest');
        expect(await answerOf(everywhere().create(kind, object(name('everywhere'), EXECUTOR)))).toBe('allowed');
        expect(await answerOf(everywhere().create(kind, object(name('another'), OTHER)))).toBe('BadRequest');
      });
    });

    describe('AT-14 a reference to a template', () => {
      it.each(referring('not-there-yet'))('that does not exist needs the right to create it: $where', async ({ object, kind }) => {
        const { reason, message } = await refusalOf(owner().create(kind, object('early')));
        expect([reason, message]).toEqual(['Forbidden', expect.stringContaining('there is no AddOnTemplate not-there-yet')]);
        expect(await answerOf(author().create(kind, object('early'), { dryRun: true }))).toBe('allowed');
      });

      it('is checked against a template that was created a moment ago', async () => {
        const { hub } = world();
        for (let round = 0; round < 5; round++) {
          const name = `fresh-${round}`;
          await hub.create(addOnTemplates, grantingTemplate(name));
          const [, addOn] = referring(name).map(({ object }) => object(`uses-${name}`));
          const { reason, message } = await refusalOf(owner().create(managedClusterAddOns, addOn as never));
          expect([reason, message]).toEqual(['Forbidden', expect.stringContaining('you may not bind the ClusterRole cluster-admin')]);
        }
      });

      it('warns the author of the template that grants rights to another add-on by it', async () => {
        const { hub, eventually } = world();
        await hub.create(managedClusterAddOns, referring('late')[1]?.object('squatter') as never);
        await eventually('the warning names the add-on', async () => {
          const path = `/apis/${ADDON_GROUP}/v1alpha1/addontemplates`;
          const answer = await hub.raw({ method: 'POST', path, query: { dryRun: 'All' }, body: grantingTemplate('late') });
          expect(answer.headers['warning'] ?? '').toContain('the add-on squatter uses this template');
          expect(answer.headers['warning']).toContain('its agents get the registrations and rights of this template');
          return true;
        });
      });
    });

    describe('AT-17 clusters and their sets', () => {
      const mover = (): Client => world().as('mover', groupsOf());
      const { cluster, binding } = clusterObjects();

      it('need the rights to accept, to join and to bind, beside those to write the objects', async () => {
        const { hub } = world();
        const resources = ['managedclusters', 'managedclustersetbindings'];
        await grant(hub, 'mover', [{ apiGroups: ['cluster.open-cluster-management.io'], resources, verbs: WRITES }]);
        await world().eventually('rights are in effect', async () =>
          (await answerOf(mover().create(managedClusters, cluster('moved', {}, {})))) === 'allowed' ? true : undefined,
        );
        const outcomes: Record<string, string> = {};
        const attempt = async (what: string, write: Promise<unknown>): Promise<void> => void (outcomes[what] = await answerOf(write));
        const key = { name: 'writers-moved' };
        const accept = { hubAcceptsClient: true };
        const toSet = { [CLUSTER_SET_LABEL]: 'other' };
        await attempt('create accepted', mover().create(managedClusters, cluster('accepted', {}, accept)));
        await attempt('accept', mover().patch(managedClusters, key, { type: 'merge', patch: { spec: accept } }));
        await attempt('apply', mover().apply(managedClusters, cluster('moved', {}, accept), { fieldManager: 'm', force: true }));
        await attempt('create in a set', mover().create(managedClusters, cluster('in-a-set', toSet, {})));
        await attempt('join a set', mover().patch(managedClusters, key, { type: 'merge', patch: { metadata: { labels: toSet } } }));
        await attempt('bind a set', mover().create(managedClusterSetBindings, binding('other')));
        expect(outcomes).toEqual(Object.fromEntries(Object.keys(outcomes).map((what) => [what, 'Forbidden'])));
      });
    });

    it('AT-25 a write that needs more rights than can be checked in time is refused', async () => {
      const configs = Array.from({ length: 600 }, (_, i) => ({ group: '', resource: 'configmaps', namespace: PLACE, name: `c${i}` }));
      expect(await answerOf(owner().create(managedClusterAddOns, of(managedClusterAddOns, 'many', { configs }) as never))).toBe('Invalid');
    });
  });
}

/**
 * Checks the responses to writes while no webhook is reachable, for writes that require a permission of their writer and for writes that
 * require none.
 */
export async function failsClosed(world: OwnClusterWorld): Promise<void> {
  const { hub } = world;
  const outcomes: Record<string, string> = {};
  const attempt = async (what: string, write: Promise<unknown>): Promise<void> => void (outcomes[what] = await answerOf(write));
  for (const { kind, object } of KINDS) await attempt(`${kind.kind} with an executor`, hub.create(kind, object('closed', EXECUTOR)));
  for (const { where, kind, object } of referring('closed')) await attempt(where, hub.create(kind, object('closed')));
  await attempt('ManifestWork without an executor', hub.create(manifestWorks, KINDS[0]?.object('open') as never));
  const plain = of(managedClusterAddOns, 'open', {});
  await attempt('ManagedClusterAddOn without references', hub.create(managedClusterAddOns, plain as never));
  const label = { type: 'merge', patch: { metadata: { labels: { a: 'b' } } } } as const;
  await attempt('a label of an add-on with references', hub.patch(managedClusterAddOns, { namespace: PLACE, name: 'squatter' }, label));
  const { cluster, binding } = clusterObjects();
  const [existing] = (await hub.list(managedClusters)).items;
  const change = (patch: object): Promise<unknown> =>
    hub.patch(managedClusters, { name: existing?.metadata.name ?? '' }, { type: 'merge', patch: patch as JsonObject });
  await attempt('an accepted ManagedCluster', hub.create(managedClusters, cluster('closed', {}, { hubAcceptsClient: true })));
  await attempt('a ManagedCluster in a set', hub.create(managedClusters, cluster('closed', { [CLUSTER_SET_LABEL]: 'other' }, {})));
  await attempt('another set of a ManagedCluster', change({ metadata: { labels: { [CLUSTER_SET_LABEL]: 'other' } } }));
  await attempt('ManagedClusterSetBinding', hub.create(managedClusterSetBindings, binding('closed')));
  await attempt('another label of a ManagedCluster', change({ metadata: { labels: { 'example.com/while-closed': 'x' } } }));
  await attempt('a ManagedCluster that is not accepted', hub.create(managedClusters, cluster('open', {}, {})));
  const needsNone = [
    'ManifestWork without an executor',
    'ManagedClusterAddOn without references',
    'a label of an add-on with references',
    'another label of a ManagedCluster',
    'a ManagedCluster that is not accepted',
  ];
  expect(outcomes).toEqual(
    Object.fromEntries(Object.keys(outcomes).map((what) => [what, needsNone.includes(what) ? 'allowed' : 'InternalError'])),
  );
}

/** Returns objects whose writer needs the permission to accept clusters or to use a cluster set. */
function clusterObjects(): {
  cluster(name: string, labels: Readonly<Record<string, string>>, spec: object): ManagedCluster;
  binding(name: string): ManagedClusterSetBinding;
} {
  return {
    cluster: (name, labels, spec) => {
      const { metadata, ...object } = of(managedClusters, `writers-${name}`, spec);
      return { ...object, metadata: { ...metadata, labels } } as ManagedCluster;
    },
    binding: (name) => of(managedClusterSetBindings, name, { clusterSet: name }) as ManagedClusterSetBinding,
  };
}

/** Returns objects that reference a template, one for each field that can contain a reference. The second one is a ManagedClusterAddOn. */
function referring(name: string): readonly { readonly where: string; readonly kind: Kind; object(named: string): KubeObject }[] {
  const ref = { group: ADDON_GROUP, resource: 'addontemplates', name };
  const placement = { name: 'p', namespace: PLACE };
  const supported = [{ group: ADDON_GROUP, resource: 'addontemplates' }];
  const declaration = (where: string, spec: object) => ({
    where: `ClusterManagementAddOn ${where}`,
    kind: clusterManagementAddOns,
    object: (named: string) => of(clusterManagementAddOns, named, spec),
  });
  const strategy = (installStrategy: object): object => ({ supportedConfigs: supported, installStrategy });
  return [
    declaration('defaultConfig', { supportedConfigs: [{ ...supported[0], defaultConfig: { name } }] }),
    {
      where: 'ManagedClusterAddOn configs',
      kind: managedClusterAddOns,
      object: (named: string) => of(managedClusterAddOns, named, { configs: [ref] }),
    },
    declaration('placements[].configs', strategy({ type: 'Placements', placements: [{ ...placement, configs: [ref] }] })),
    declaration(
      'placements[].addonTemplate.configs',
      strategy({ type: 'Placements', placements: [{ ...placement, addonTemplate: { configs: [ref] } }] }),
    ),
    declaration('installStrategy.configs', strategy({ type: 'ClusterLabelSelector', labelSelector: {}, configs: [ref] })),
    declaration(
      'installStrategy.addonTemplate.configs',
      strategy({ type: 'ClusterLabelSelector', labelSelector: {}, addonTemplate: { configs: [ref] } }),
    ),
  ];
}

function grantingTemplate(name: string): AddOnTemplate {
  return {
    apiVersion: `${ADDON_GROUP}/v1alpha1`,
    kind: 'AddOnTemplate',
    metadata: { name },
    spec: {
      addonName: 'trusted',
      agentSpec: { workload: WORKLOAD },
      registration: [
        {
          type: 'KubeClient',
          kubeClient: { hubPermissions: [{ type: 'CurrentCluster', currentCluster: { clusterRoleName: 'cluster-admin' } }] },
        },
      ],
    },
  };
}

async function refusalOf(write: Promise<unknown>): Promise<{ readonly reason: string; readonly message: string }> {
  try {
    await write;
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
  return { reason: 'allowed', message: '' };
}

async function replaced(client: Client, kind: Kind, key: ObjectKey, change: (old: KubeObject) => KubeObject) {
  return client.replace(kind, change(await client.get(kind, key)));
}

function withSpec(old: KubeObject, like: KubeObject): KubeObject {
  return { ...old, spec: (like as KubeObject & { readonly spec: object }).spec } as KubeObject;
}

async function grant(hub: Client, user: string, rules: readonly object[]): Promise<void> {
  const meta = { apiVersion: `${RBAC}/v1`, metadata: { name: `writer-rights-${user}` } };
  await hub.create(clusterRoles, { ...meta, kind: 'ClusterRole', rules } as never);
  await hub.create(clusterRoleBindings, { ...meta, kind: 'ClusterRoleBinding', ...bound(user, 'ClusterRole') } as never);
}

async function grantIn(hub: Client, namespace: string, user: string, rules: readonly object[]): Promise<void> {
  const meta = { apiVersion: `${RBAC}/v1`, metadata: { name: `writer-rights-${user}`, namespace } };
  await hub.create(roles, { ...meta, kind: 'Role', rules } as never);
  await hub.create(roleBindings, { ...meta, kind: 'RoleBinding', ...bound(user, 'Role') } as never);
}

function bound(user: string, kind: string): object {
  const roleRef = { apiGroup: RBAC, kind, name: `writer-rights-${user}` };
  return { roleRef, subjects: [{ apiGroup: RBAC, kind: 'User', name: user }] };
}
