import {
  CLUSTER_LEASE_NAME,
  type RolloutApproval,
  type RolloutEntry,
  addOnRollouts,
  controllerRevisions,
  decisionPolicies,
  leases,
  placementDecisions,
  placements,
  rolloutApprovals,
  rolloutPolicies,
} from '@outrigger/api';
import { type Kind, type KubeObject, parseApiVersion, parseTime, toMicroTime, toTime } from '@outrigger/core';
import { slip } from '@outrigger/rules/prediction';
import { readTargetRecord, TARGET_RECORD_LABEL } from '@outrigger/rules/rollout';
import { expect } from 'vitest';
import { VIRTUAL, eventually } from '../../world/eventually.js';
import { arrivedAt, declaration, entry, startFleet } from './safety.js';
import { type FleetWorld, addOnOf, applyYaml, choose, found, playAgents } from './world.js';

/** These scenarios are complete rollouts under policies, with decisions by users. */

const SELF_SUBJECT_REVIEWS: Kind = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
};

const policy = (spec: string): string => `
apiVersion: outrigger.dev/v1alpha1
kind: RolloutPolicy
metadata: { name: careful }
spec:
  addOns: { names: [helloworld] }
${spec}
`;

/** Writes a Placement and its PlacementDecisions, which divide the clusters into named decision groups. */
export async function chooseGroups(world: FleetWorld, name: string, groups: Readonly<Record<string, readonly string[]>>): Promise<void> {
  const { hub } = world;
  await choose(world, name, Object.values(groups).flat());
  const decisionGroups = Object.entries(groups).map(([decisionGroupName, clusters], decisionGroupIndex) => ({
    decisionGroupIndex,
    decisionGroupName,
    decisions: [`${name}-decision-${decisionGroupIndex + 1}`],
    clusterCount: clusters.length,
  }));
  await hub.patch(
    placements,
    { namespace: 'default', name },
    { type: 'merge', patch: { status: { decisionGroups } } },
    { subresource: 'status' },
  );
  for (const { decisionGroupIndex, decisionGroupName } of decisionGroups) {
    const key = { namespace: 'default', name: `${name}-decision-${decisionGroupIndex + 1}` };
    const labels = {
      'cluster.open-cluster-management.io/placement': name,
      'cluster.open-cluster-management.io/decision-group-index': String(decisionGroupIndex),
      'cluster.open-cluster-management.io/decision-group-name': decisionGroupName,
    };
    if (!(await found(hub.get(placementDecisions, key)))) {
      await hub.create(placementDecisions, {
        apiVersion: 'cluster.open-cluster-management.io/v1beta1',
        kind: 'PlacementDecision',
        metadata: { ...key, labels },
      });
    }
    await hub.patch(placementDecisions, key, { type: 'merge', patch: { metadata: { labels } } });
    const decisions = (groups[decisionGroupName] ?? []).map((clusterName) => ({ clusterName, reason: '' }));
    await hub.patch(placementDecisions, key, { type: 'merge', patch: { status: { decisions } } }, { subresource: 'status' });
  }
}

async function entryOf({ hub }: FleetWorld, name: string): Promise<RolloutEntry | undefined> {
  return (await hub.get(addOnRollouts, { name: 'helloworld' })).status?.entries?.find((one) => one.name === `default/${name}`);
}

/** Waits until the record of the entry shows that this gate holds clusters. The agents report meanwhile. */
async function waitsFor(world: FleetWorld, name: string, gate: string, text = ''): Promise<RolloutEntry> {
  return eventually(
    world,
    `${name} waits for ${gate}`,
    async () => {
      await playAgents(world);
      const one = await entryOf(world, name);
      return one?.waitingFor?.some((wait) => wait.name === gate && (wait.message ?? '').includes(text)) ? one : undefined;
    },
    () => entryOf(world, name),
  );
}

async function decide(world: FleetWorld, name: string, spec: Partial<RolloutApproval['spec']>): Promise<void> {
  const { hub } = world;
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
  const self = (await hub.create(SELF_SUBJECT_REVIEWS, review)) as KubeObject & {
    readonly status: { readonly userInfo: { readonly username: string } };
  };
  await hub.create(rolloutApprovals, {
    apiVersion: 'outrigger.dev/v1alpha1',
    kind: 'RolloutApproval',
    metadata: { generateName: 'story-' },
    spec: {
      addOn: 'helloworld',
      entry: `default/${name}`,
      revision: (await entryOf(world, name))?.targetRevision ?? 0,
      gate: 'careful/go-live',
      decision: 'Approved',
      by: self.status.userInfo.username,
      ...spec,
    },
  });
}

/** Installs the admission policies that check the writers of decisions. Without these policies, the hub ignores every decision. */
async function installDecisionPolicies({ hub }: FleetWorld): Promise<void> {
  for (const object of decisionPolicies()) {
    const kind = await hub.discovery.kindOf({ ...parseApiVersion(object.apiVersion), kind: object.kind });
    if (!kind) throw new Error(`the server serves no ${object.kind}`);
    await hub.apply(kind, object, { fieldManager: 'kubectl', force: true });
  }
}

async function forget({ hub }: FleetWorld): Promise<void> {
  if (await found(hub.get(rolloutPolicies, { name: 'careful' }))) await hub.delete(rolloutPolicies, { name: 'careful' });
  for (const { metadata } of (await hub.list(rolloutApprovals)).items) await hub.delete(rolloutApprovals, { name: metadata.name ?? '' });
}

const inSeconds = (world: FleetWorld, seconds: number): string => toTime(world.clock.now() + seconds * 1000);

/** Waits until a given time. The clusters' agents renew their leases meanwhile. */
async function until(world: FleetWorld, time: string, clusters: readonly string[] = []): Promise<void> {
  await eventually(world, `it is ${time}`, async () => {
    const patch = { spec: { renewTime: toMicroTime(world.clock.now()) } };
    for (const namespace of clusters)
      await found(world.hub.patch(leases, { namespace, name: CLUSTER_LEASE_NAME }, { type: 'merge', patch }));
    return world.clock.now() > (parseTime(time) ?? 0) ? true : undefined;
  });
}

/**
 * Rolls out to three groups. A Deny window for the second group begins and ends during the rollout, and the third group needs an approval.
 * An approval counts only for its own revision, and only if the API server has checked its writer.
 */
export async function groupsWithFreezeAndApproval(world: FleetWorld): Promise<void> {
  const groups = { canary: ['trio1'], staging: ['trio2'], production: ['trio3', 'trio4'] };
  const clusters = Object.values(groups).flat();
  const strategy = '{ type: ProgressivePerGroup, progressivePerGroup: {} }';
  await startFleet(world, clusters, { trio2: { stage: 'staging' } });
  await chooseGroups(world, 'trio', groups);
  await applyYaml(world, declaration(entry('trio', 'v1', strategy)));
  await arrivedAt(world, 'v1', clusters);
  // Create the Deny window with its final end: if the end were changed later, clusters that the window holds would wait five more minutes.
  // The window is long enough for a busy machine to reach the second group before its end.
  const [begins, ends] = [inSeconds(world, 2), inSeconds(world, 30)];
  await applyYaml(
    world,
    policy(`  windows:
  - { name: freeze, effect: Deny, from: '${begins}', until: '${ends}', clusters: { matchLabels: { stage: staging } } }
  approvals:
  - { name: go-live, before: Group, groups: [{ groupName: production }] }`),
  );

  await until(world, begins);
  await applyYaml(world, declaration(entry('trio', 'v2', strategy)));
  await arrivedAt(world, 'v2', ['trio1']);
  const frozen = await waitsFor(world, 'trio', 'careful/freeze');
  expect(frozen.waitingFor).toMatchObject([{ kind: 'Window', clusters: 1, until: ends }]);
  expect((await addOnOf(world, 'trio2'))?.status?.currentVersion).toBe('v1');
  await arrivedAt(world, 'v2', ['trio2']);
  expect(world.clock.now()).toBeGreaterThanOrEqual(parseTime(ends) ?? 0);

  const asking = await waitsFor(world, 'trio', 'careful/go-live');
  expect(asking.waitingFor).toMatchObject([{ kind: 'Approval', group: 'production', clusters: 2 }]);
  await decide(world, 'trio', { group: 'production', revision: (asking.targetRevision ?? 0) - 1 });
  await decide(world, 'trio', { group: 'production' });
  await waitsFor(world, 'trio', 'careful/go-live', 'approvals do not count');
  for (const cluster of groups.production) expect((await addOnOf(world, cluster))?.status?.currentVersion).toBe('v1');
  // Approvals that were created before the admission policies stay ignored, because the API server has not checked their writers. The test
  // waits for the next second, because the times of decisions are whole seconds.
  await until(world, inSeconds(world, 1));
  await installDecisionPolicies(world);
  await waitsFor(world, 'trio', 'careful/go-live', 'needs 1 approval before group production');
  await decide(world, 'trio', { group: 'production' });
  await arrivedAt(world, 'v2', groups.production);
  await recordsEachCluster(world, 'trio', clusters);
  await rolloutOwnsDecisions(world);
  await forget(world);
}

/** Waits until the AddOnRollout owns every decision, including those that were written without an owner. */
async function rolloutOwnsDecisions({ hub, ...world }: FleetWorld): Promise<void> {
  const { metadata } = await hub.get(addOnRollouts, { name: 'helloworld' });
  const owners = async (): Promise<readonly (readonly string[])[]> =>
    (await hub.list(rolloutApprovals)).items.map((one) => (one.metadata.ownerReferences ?? []).map(({ kind, uid }) => `${kind} ${uid}`));
  await eventually(
    world,
    'the rollout owns every decision',
    async () => {
      const found = await owners();
      const isOwned = found.length > 0 && found.every((own) => own.join() === `AddOnRollout ${metadata.uid}`);
      return isOwned ? true : undefined;
    },
    owners,
  );
}

/**
 * Waits until the target of the entry has ended, and expects the record of the target to contain the admission and the duration of each
 * cluster.
 */
async function recordsEachCluster(world: FleetWorld, name: string, clusters: readonly string[]): Promise<void> {
  const ended = await eventually(
    world,
    `the record of ${name} is stored`,
    async () => {
      await playAgents(world);
      const change = (await entryOf(world, name))?.timeline?.[0];
      return change?.record === undefined ? undefined : change;
    },
    () => entryOf(world, name),
  );
  // The record of the target exists, because the entry's timeline names it only after it has been stored.
  const { items } = await world.hub.list(controllerRevisions, { labelSelector: TARGET_RECORD_LABEL });
  const object = items.find(({ metadata }) => metadata.name === ended.record);
  const record = object && readTargetRecord(object);
  expect(record).toMatchObject({ addOn: 'helloworld', entry: `default/${name}`, revision: ended.to, outcome: 'Completed', omitted: 0 });
  expect([record?.startedAt, record?.endedAt]).toEqual([ended.at, ended.endedAt]);
  expect(record?.clusters.map(({ cluster, outcome }) => [cluster, outcome])).toEqual([...clusters].sort().map((one) => [one, 'Succeeded']));
  const admissions = clusters.map((cluster) => record?.clusters.find((one) => one.cluster === cluster)?.admittedAt ?? '');
  // The clusters are listed in the order of their groups.
  expect(admissions).toEqual([...admissions].sort());
  for (const { seconds } of record?.clusters ?? []) expect(seconds).toBeGreaterThanOrEqual(0);
}

/** A gate override opens a Deny window for one revision. When the override has expired, the window holds the next cluster again. */
export async function overrideEndsByItself(world: FleetWorld): Promise<void> {
  const clusters = ['urgent1', 'urgent2'];
  const strategy = '{ type: Progressive, progressive: { maxConcurrency: 1 } }';
  await installDecisionPolicies(world);
  await startFleet(world, clusters);
  await choose(world, 'urgent', clusters);
  await applyYaml(world, declaration(entry('urgent', 'v1', strategy)));
  await arrivedAt(world, 'v1', clusters);
  await applyYaml(world, policy(`  windows:\n  - { name: freeze, effect: Deny, from: '2020-01-01T00:00', until: '2090-01-01T00:00' }`));
  await applyYaml(world, declaration(entry('urgent', 'v2', strategy)));
  await waitsFor(world, 'urgent', 'careful/freeze');

  // The cluster must be admitted before the override expires. On a busy machine the first override may expire too early, so the test then
  // creates another one.
  let expires = inSeconds(world, 0);
  await eventually(world, 'urgent1 is admitted', async () => {
    if ((await entryOf(world, 'urgent'))?.inFlight?.some(({ cluster }) => cluster === 'urgent1')) return true;
    if (world.clock.now() >= (parseTime(expires) ?? 0)) {
      expires = inSeconds(world, 5);
      await decide(world, 'urgent', { gate: 'careful/freeze', decision: 'Overridden', comment: 'security fix', expires });
    }
    return undefined;
  });
  await until(world, expires);
  await arrivedAt(world, 'v2', ['urgent1']);
  const again = await waitsFor(world, 'urgent', 'careful/freeze');
  expect(again.waitingFor).toMatchObject([{ clusters: 1 }]);
  expect((await addOnOf(world, 'urgent2'))?.status?.currentVersion).toBe('v1');
  await forget(world);
}

/**
 * A window holds the removal of the add-on from a cluster that no entry selects any more, and the record shows the hold. A gate override
 * opens the window.
 */
export async function windowHoldsARemoval(world: FleetWorld): Promise<void> {
  const clusters = ['leave1', 'leave2'];
  await installDecisionPolicies(world);
  await startFleet(world, clusters);
  await choose(world, 'leave', clusters);
  await applyYaml(world, declaration(entry('leave', 'v1')));
  await arrivedAt(world, 'v1', clusters);
  const until = inSeconds(world, 3600);
  await applyYaml(
    world,
    policy(`  windows:\n  - { name: freeze, effect: Deny, from: '2020-01-01T00:00:00Z', until: '${until}', for: [Remove] }`),
  );
  await eventually(world, 'the record names the policy', async () => {
    const { status } = await world.hub.get(addOnRollouts, { name: 'helloworld' });
    return status?.policies?.includes('careful') ? true : undefined;
  });
  await choose(world, 'leave', ['leave1']);
  const held = await waitsFor(world, 'leave', 'careful/freeze', 'no removal from 1 cluster');
  expect(held.waitingFor).toMatchObject([{ kind: 'Window', operation: 'Remove', clusters: 1, until }]);
  expect((await addOnOf(world, 'leave2'))?.metadata.deletionTimestamp).toBeUndefined();

  const expires = inSeconds(world, 600);
  await decide(world, 'leave', { gate: 'careful/freeze', decision: 'Overridden', comment: 'the cluster is sold', expires });
  await eventually(
    world,
    'the add-on of leave2 is removed, and no removal waits',
    async () => {
      await playAgents(world);
      const addOn = await addOnOf(world, 'leave2');
      const isRemoved = addOn === undefined || addOn.metadata.deletionTimestamp !== undefined;
      return isRemoved && (await entryOf(world, 'leave'))?.waitingFor === undefined ? true : undefined;
    },
    () => entryOf(world, 'leave'),
  );
  await forget(world);
}

/**
 * The hub predicts the end of a rollout once, when the rollout starts, and keeps the prediction until the target ends. The prediction
 * includes the wait for a window that opens later.
 */
export async function storesAPrediction(world: FleetWorld): Promise<void> {
  const clusters = ['expect1', 'expect2'];
  await startFleet(world, clusters, { expect2: { stage: 'prod' } });
  await choose(world, 'expect', clusters);
  await applyYaml(world, declaration(entry('expect', 'v1')));
  await arrivedAt(world, 'v1', clusters);
  expect((await entryOf(world, 'expect'))?.prediction).toBeUndefined();
  const opens = inSeconds(world, 3600);
  const selector = 'clusters: { matchLabels: { stage: prod } }';
  await applyYaml(
    world,
    policy(`  windows:\n  - { name: freeze, effect: Deny, from: '2020-01-01T00:00:00Z', until: '${opens}', ${selector} }`),
  );
  await eventually(world, 'the record names the policy', async () => {
    const { status } = await world.hub.get(addOnRollouts, { name: 'helloworld' });
    return status?.policies?.includes('careful') ? true : undefined;
  });
  await applyYaml(world, declaration(entry('expect', 'v2')));
  const predictedFor = (revision: number): Promise<RolloutEntry> =>
    eventually(
      world,
      `the end of revision ${revision} is predicted`,
      async () => {
        await playAgents(world);
        const one = await entryOf(world, 'expect');
        return one?.targetRevision === revision && one.prediction !== undefined ? one : undefined;
      },
      () => entryOf(world, 'expect'),
    );
  const started = await predictedFor(2);
  const { prediction } = started;
  expect(prediction).toMatchObject({ at: started.startedAt, basis: 'Recorded', runs: 200 });
  expect([(prediction?.p50 ?? '') > opens, (prediction?.p90 ?? '') >= (prediction?.p50 ?? '')]).toEqual([true, true]);
  expect(slip(prediction, world.clock.now(), started)?.standing).toBe('OnTime');
  expect(slip(prediction, (parseTime(prediction?.p90) ?? 0) + 60_000, started)?.text).toMatch(/: 1m late$/);
  await arrivedAt(world, 'v2', ['expect1']);
  await waitsFor(world, 'expect', 'careful/freeze');
  expect((await entryOf(world, 'expect'))?.prediction).toEqual(prediction);

  // The next target, here the way back, has a separate prediction, which no gate delays.
  await world.hub.patch(addOnRollouts, { name: 'helloworld' }, { type: 'merge', patch: { spec: { pinnedRevision: 1 } } });
  await arrivedAt(world, 'v1', clusters);
  const back = await eventually(world, 'the way back is completed', async () => {
    await playAgents(world);
    const one = await entryOf(world, 'expect');
    return one?.targetRevision === 1 && one.state === 'Completed' ? one : undefined;
  });
  expect(back.prediction?.at).not.toBe(prediction?.at);
  await forget(world);
}

/** A policy that is deleted while it holds a cluster continues to hold the cluster for 5 minutes. An invalid policy holds all clusters. */
export async function deletedPolicyHoldsOn(world: FleetWorld): Promise<void> {
  const clusters = ['slow1'];
  await startFleet(world, clusters);
  await choose(world, 'slow', clusters);
  await applyYaml(world, declaration(entry('slow', 'v1')));
  await arrivedAt(world, 'v1', clusters);
  const freeze = (ends: string): string =>
    policy(`  windows:\n  - { name: freeze, effect: Deny, from: '2020-01-01T00:00', until: '${ends}' }`);
  await applyYaml(world, freeze('2090-01-01T00:00'));
  await applyYaml(world, declaration(entry('slow', 'v2')));
  await waitsFor(world, 'slow', 'careful/freeze');

  await applyYaml(world, freeze('2021-01-01T00:00'));
  const edited = await waitsFor(world, 'slow', 'careful/freeze', 'was removed or changed');
  const wait = edited.waitingFor?.find(({ loosened }) => loosened);
  const left = (parseTime(wait?.until) ?? 0) - world.clock.now();
  expect(left).toBeGreaterThan(0);
  // The time in the record is rounded up to whole seconds, because the gate must hold the cluster for at least 5 minutes.
  expect(left).toBeLessThan(5 * 60_000 + 1000);
  await world.hub.delete(rolloutPolicies, { name: 'careful' });
  await waitsFor(world, 'slow', 'careful/freeze', 'was removed or changed');
  expect((await addOnOf(world, 'slow1'))?.status?.currentVersion).toBe('v1');

  // This part runs only with the virtual clock, because the wait is too long for real time.
  if (world.patience === VIRTUAL) {
    await until(world, wait?.until ?? '', clusters);
    await arrivedAt(world, 'v2', clusters);
    const { status } = await world.hub.get(addOnRollouts, { name: 'helloworld' });
    expect(status?.entries?.flatMap(({ waitingFor = [] }) => waitingFor)).toEqual([]);
    expect(status?.policies ?? []).toEqual([]);
  }
  await forget(world);
}
