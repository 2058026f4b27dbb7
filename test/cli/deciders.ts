import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ADDON_GROUP,
  type ClusterManagementAddOn,
  OUTRIGGER_GROUP,
  type PolicyRule,
  type RolloutApproval,
  type RolloutPolicy,
  clusterManagementAddOns,
  clusterRoleBindings,
  clusterRoles,
  rolloutApprovals,
  rolloutPolicies,
} from '@outrigger/api';
import { type OwnerReference, asJson, isApiError } from '@outrigger/core';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport, loadConnection } from '@outrigger/kube/node';
import { expect } from 'vitest';
import { type PeopleWorld, impersonating } from './people.js';

const RBAC = 'rbac.authorization.k8s.io';
const WRITE: readonly PolicyRule[] = [
  { apiGroups: [OUTRIGGER_GROUP], resources: ['rolloutapprovals'], verbs: ['create', 'patch', 'delete'] },
  { apiGroups: [ADDON_GROUP], resources: ['clustermanagementaddons'], verbs: ['get', 'patch', 'delete'] },
];
const verbOn = (verb: string, ...resourceNames: readonly string[]): PolicyRule => ({
  apiGroups: [OUTRIGGER_GROUP],
  resources: ['rolloutpolicies'],
  verbs: [verb],
  ...(resourceNames.length > 0 ? { resourceNames } : {}),
});

/** The users in the table below. All of them may write RolloutApprovals and declarations. */
const USERS: Readonly<Record<string, readonly PolicyRule[]>> = {
  writer: WRITE,
  approver: [...WRITE, verbOn('approve', 'production')],
  'any-approver': [...WRITE, verbOn('approve')],
  overrider: [...WRITE, verbOn('override', 'production')],
};

function approval(spec: Partial<RolloutApproval['spec']>): RolloutApproval {
  return {
    apiVersion: 'outrigger.dev/v1alpha1',
    kind: 'RolloutApproval',
    metadata: { generateName: 'case-' },
    spec: { addOn: 'metrics', entry: 'default/all', revision: 1, gate: 'production/go-live', decision: 'Approved', by: '', ...spec },
  };
}

const inHours = (now: number, hours: number): string => new Date(now + hours * 3_600_000).toISOString();

/**
 * Rows of user, decision and expected error message. An empty message means that the API server accepts the decision. `by` defaults to the
 * user.
 */
function decisions(now: number): readonly [string, Partial<RolloutApproval['spec']>, string][] {
  const override = { decision: 'Overridden' as const, gate: 'production/freeze', comment: 'security fix', expires: inHours(now, 1) };
  return [
    ['writer', {}, 'writer may not approve the RolloutPolicy production'],
    ['approver', {}, ''],
    ['approver', { decision: 'Rejected' }, ''],
    ['approver', { decision: 'Retried' }, ''],
    ['approver', { gate: 'staging/go-live' }, 'approver may not approve the RolloutPolicy staging'],
    ['any-approver', { gate: 'staging/go-live' }, ''],
    ['approver', { by: 'any-approver' }, 'spec.by: must be the user who writes the object, approver'],
    ['approver', override, 'approver may not override the RolloutPolicy production'],
    ['overrider', override, ''],
    ['overrider', { ...override, gate: 'staging/freeze' }, 'may not override the RolloutPolicy staging'],
    ['overrider', {}, 'overrider may not approve the RolloutPolicy production'],
    ['overrider', { ...override, expires: inHours(now, 25) }, 'spec.expires: must be in the future, at most 24 hours from now'],
    ['overrider', { ...override, expires: inHours(now, -1) }, 'spec.expires: must be in the future'],
    ['overrider', { ...override, comment: '' }, 'an override needs a comment'],
  ];
}

const POLICIES: Readonly<Record<string, RolloutPolicy['spec']>> = {
  production: {
    addOns: { selector: { matchLabels: { tier: 'critical' }, matchExpressions: [{ key: 'region', operator: 'NotIn', values: ['test'] }] } },
  },
  named: { addOns: { names: ['governed'] } },
};

/** Rows of user, change of labels and expected error message. The declaration has `tier: critical` before each row. */
const LABELS: readonly [string, Readonly<Record<string, string | null>>, string][] = [
  ['writer', { tier: 'low' }, 'takes the add-on out of the RolloutPolicy production'],
  ['writer', { tier: null }, 'takes the add-on out of the RolloutPolicy production'],
  ['writer', { region: 'test' }, 'takes the add-on out of the RolloutPolicy production'],
  ['approver', { tier: 'low' }, 'takes the add-on out of the RolloutPolicy production'],
  ['writer', { region: 'eu', note: 'kept' }, ''],
  ['overrider', { tier: 'low' }, ''],
];

/**
 * The API server accepts a decision only if the decision names the user who sends it, and if this user has the verb of the decision on the
 * policy. The embedded server and a real server are tested with the same table.
 */
export async function checksWhoDecides(world: PeopleWorld): Promise<void> {
  const { hub, runtime, eventually } = world;
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-deciders-'));
  const closes: (() => Promise<void>)[] = [];
  const as = async (user: string): Promise<Client> => {
    const path = join(folder, user);
    await writeFile(path, impersonating(world.adminKubeconfig, user, 'default'));
    const { connection } = await loadConnection({ kubeconfig: path });
    const transport = createHttpTransport(connection, runtime, { protocol: 'http/1.1' });
    closes.push(() => transport.close());
    return createClient({ transport, runtime });
  };
  try {
    for (const [name, spec] of Object.entries(POLICIES)) {
      await hub.create(rolloutPolicies, { apiVersion: 'outrigger.dev/v1alpha1', kind: 'RolloutPolicy', metadata: { name }, spec });
    }
    const clients = new Map<string, Client>();
    for (const [user, rules] of Object.entries(USERS)) {
      await grant(hub, user, rules);
      clients.set(user, await as(user));
    }
    const clientOf = (user: string): Client => clients.get(user) as Client;
    // A real API server needs some time to apply new admission policies and roles.
    await eventually('the policy of admission is in force', async () => {
      const refusal = await refusalOf(() => clientOf('approver').create(rolloutApprovals, approval({ by: 'another' }), { dryRun: true }));
      return refusal.includes('spec.by') ? true : undefined;
    });
    for (const [user, spec, want] of decisions(runtime.clock.now())) {
      const refusal = await refusalOf(() => clientOf(user).create(rolloutApprovals, approval({ by: user, ...spec })));
      expect({ user, spec, refusal }).toEqual({ user, spec, refusal: want === '' ? '' : expect.stringContaining(want) });
    }
    await decisionsNeverChange(clientOf('approver'), hub);
    await labelsAreGuarded(world, clientOf);
  } finally {
    for (const close of closes) await close();
    await rm(folder, { recursive: true });
  }
}

async function decisionsNeverChange(approver: Client, hub: Client): Promise<void> {
  const [first] = (await hub.list(rolloutApprovals)).items;
  const name = first?.metadata.name ?? '';
  const patch = { spec: { revision: 2 } };
  expect(await refusalOf(() => approver.patch(rolloutApprovals, { name }, { type: 'merge', patch }))).toContain(
    'a decision cannot be changed',
  );
}

async function labelsAreGuarded({ hub, eventually }: PeopleWorld, clientOf: (user: string) => Client): Promise<void> {
  const before = { tier: 'critical', region: 'eu' };
  const managementAddOn: ClusterManagementAddOn = {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ClusterManagementAddOn',
    metadata: { name: 'guarded', labels: before },
    spec: {},
  };
  await hub.create(clusterManagementAddOns, managementAddOn);
  await hub.create(clusterManagementAddOns, { ...managementAddOn, metadata: { name: 'governed', labels: { tier: 'low' } } });
  const change = (user: string, name: string, labels: Readonly<Record<string, string | null>>, dryRun = false): Promise<string> =>
    refusalOf(() =>
      clientOf(user).patch(clusterManagementAddOns, { name }, { type: 'merge', patch: { metadata: { labels } } }, { dryRun }),
    );
  await eventually('the policy of admission knows the RolloutPolicies', async () =>
    (await change('writer', 'guarded', { tier: 'low' }, true)) === '' ? undefined : true,
  );
  for (const [user, labels, want] of LABELS) {
    const refusal = await change(user, 'guarded', labels);
    expect({ user, labels, refusal }).toEqual({ user, labels, refusal: want === '' ? '' : expect.stringContaining(want) });
  }
  expect(await change('writer', 'governed', { tier: 'lower' }), 'a policy that names the add-on does not read its labels').toBe('');
  await deletionsAreGuarded(hub, clientOf, managementAddOn);
  await hub.delete(clusterManagementAddOns, { name: 'guarded' });
  for (const name of Object.keys(POLICIES)) await hub.delete(rolloutPolicies, { name });
  for (const { metadata } of (await hub.list(rolloutApprovals)).items) await hub.delete(rolloutApprovals, { name: metadata.name ?? '' });
}

/**
 * Deletions are restricted like edits of labels: a deletion also takes the add-on out of a policy, because the next declaration with the
 * same name may have other labels. Adding an owner is restricted too, because the garbage collector deletes a declaration whose owners do
 * not exist. Removing an owner is allowed, because the garbage collector removes references to owners that do not exist.
 */
async function deletionsAreGuarded(
  hub: Client,
  clientOf: (user: string) => Client,
  managementAddOn: ClusterManagementAddOn,
): Promise<void> {
  const [first, second] = (await hub.list(rolloutPolicies)).items.map(
    ({ metadata: { name = '', uid = '' } }): OwnerReference => ({ apiVersion: 'outrigger.dev/v1alpha1', kind: 'RolloutPolicy', name, uid }),
  );
  if (!first || !second) throw new Error('there are fewer than two RolloutPolicies');
  const again = {
    ...managementAddOn,
    metadata: { name: 'again', labels: { tier: 'critical' }, ownerReferences: [{ ...first, blockOwnerDeletion: true }, second] },
  };
  const absent: OwnerReference = { apiVersion: 'v1', kind: 'Namespace', name: 'absent', uid: 'absent' };
  const setOwners = (user: string, name: string, ownerReferences: readonly OwnerReference[]): Promise<string> =>
    refusalOf(() =>
      clientOf(user).patch(
        clusterManagementAddOns,
        { name },
        { type: 'merge', patch: asJson({ metadata: { ownerReferences } }) },
        { dryRun: true },
      ),
    );
  await hub.create(clusterManagementAddOns, again);
  for (const user of ['writer', 'approver']) {
    const refusal = await refusalOf(() => clientOf(user).delete(clusterManagementAddOns, { name: 'again' }));
    expect({ user, refusal }).toEqual({
      user,
      refusal: expect.stringContaining('deleting the declaration takes the add-on out of the RolloutPolicy production') as string,
    });
    for (const owners of [[absent], [first, second, absent], [{ ...first, name: 'absent' }, second]]) {
      expect({ user, owners, refusal: await setOwners(user, 'again', owners) }).toEqual({
        user,
        owners,
        refusal: expect.stringMatching(
          /^.*metadata.ownerReferences: .*; an added or changed owner can take the add-on out of the RolloutPolicy production/,
        ) as string,
      });
    }
    for (const owners of [[], [second], [first, second]])
      expect({ user, owners, refusal: await setOwners(user, 'again', owners) }).toEqual({ user, owners, refusal: '' });
  }
  expect(await setOwners('overrider', 'again', [absent])).toBe('');
  expect(await setOwners('writer', 'governed', [absent]), 'a policy names it').toBe('');
  expect(await refusalOf(() => clientOf('overrider').delete(clusterManagementAddOns, { name: 'again' }))).toBe('');
  expect(await refusalOf(() => clientOf('writer').delete(clusterManagementAddOns, { name: 'governed' })), 'a policy names it').toBe('');
}

async function grant(hub: Client, user: string, rules: readonly PolicyRule[]): Promise<void> {
  const name = `decider-${user}`;
  await hub.create(clusterRoles, { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name }, rules });
  await hub.create(clusterRoleBindings, {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects: [{ apiGroup: RBAC, kind: 'User', name: user }],
  });
}

/** Returns the error message; empty if the write was accepted. */
async function refusalOf(write: () => Promise<unknown>): Promise<string> {
  try {
    await write();
    return '';
  } catch (error) {
    if (isApiError(error)) return error.message;
    throw error;
  }
}
