import { type RolloutEntry, addOnRollouts, clusterManagementAddOns, rolloutPolicies } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { expect } from 'vitest';
import { eventually } from '../../world/eventually.js';
import { chooseGroups } from './policy-stories.js';
import { arrivedAt, declaration, entry, startFleet, template } from './safety.js';
import { type StoryWorld, addOnOf, applyYaml, playAgents } from './world.js';

/** These scenarios are complete rollouts whose outcome depends on metrics. The metric `story_errors` has one value per cluster. */

const PER_GROUP = '{ type: ProgressivePerGroup, progressivePerGroup: {} }';

const policy = (analysis: string): string => `
apiVersion: outrigger.dev/v1alpha1
kind: RolloutPolicy
metadata: { name: measured }
spec:
  addOns: { names: [helloworld] }
  onFailure: { action: RollBack }
  analysis:
  - ${analysis}
`;

async function entryOf({ hub }: StoryWorld, name: string): Promise<RolloutEntry | undefined> {
  return (await hub.get(addOnRollouts, { name: 'helloworld' })).status?.entries?.find((one) => one.name === `default/${name}`);
}

/** Waits until the record of the entry is as expected. The agents report meanwhile. */
async function untilEntry(
  world: StoryWorld,
  name: string,
  what: string,
  isExpected: (entry: RolloutEntry) => boolean,
): Promise<RolloutEntry> {
  return eventually(
    world,
    `${name} ${what}`,
    async () => {
      await playAgents(world);
      const one = await entryOf(world, name);
      return one && isExpected(one) ? one : undefined;
    },
    () => entryOf(world, name),
  );
}

/**
 * Waits until the declaration is Degraded with this reason or, without a reason, is not Degraded. The hub writes the declaration after the
 * record.
 */
async function isDegraded(world: StoryWorld, want: string | undefined): Promise<void> {
  const reason = async (): Promise<string | undefined> => {
    const { status } = await world.hub.get(clusterManagementAddOns, { name: 'helloworld' });
    return findCondition(status?.conditions, 'Degraded')?.reason;
  };
  await eventually(world, `Degraded: ${want ?? 'none'}`, async () => ((await reason()) === want ? true : undefined), reason);
}

/** Starts a fleet at v1 with a canary group and a group of the other clusters, and upgrades the fleet to v2 under the policy. */
async function upgrade(world: StoryWorld, name: string, clusters: readonly string[], analysis: string): Promise<void> {
  const [canary = '', ...rest] = clusters;
  await startFleet(world, clusters);
  await chooseGroups(world, name, { canary: [canary], rest });
  await applyYaml(world, declaration(entry(name, 'v1', PER_GROUP)));
  await arrivedAt(world, 'v1', clusters);
  // Create the policy only after v1 has completed, because its analysis would otherwise also measure v1.
  await untilEntry(world, name, 'has completed v1', ({ state }) => state === 'Completed');
  await applyYaml(world, policy(analysis));
  await applyYaml(world, declaration(entry(name, 'v2', PER_GROUP)));
  await arrivedAt(world, 'v2', [canary]);
}

const versionsOf = async (world: StoryWorld, clusters: readonly string[]): Promise<readonly (string | undefined)[]> =>
  Promise.all(clusters.map(async (cluster) => (await addOnOf(world, cluster))?.status?.currentVersion));

/** Errors increase on the canary. The fleet rolls back automatically, the version is rejected, and a corrected version completes. */
export async function errorRateRises(world: StoryWorld): Promise<void> {
  const clusters = ['errors1', 'errors2', 'errors3'];
  await world.meters.set({ errors1: 0.5, errors2: 0.01, errors3: 0.01 });
  const analysis =
    '{ name: errors, provider: story, query: "story_errors{job!=\\"{{ADDON}}\\"}", clusterFrom: cluster, initialDelay: 1s, interval: 1s, count: 2, success: result < 0.1 }';
  await upgrade(world, 'errors', clusters, analysis);
  const back = await untilEntry(world, 'errors', 'goes back', ({ rolledBack }) => rolledBack !== undefined);
  expect(back).toMatchObject({ targetRevision: 1, rejected: [{ revision: 2, gate: 'measured/errors' }] });
  await arrivedAt(world, 'v1', clusters);
  await untilEntry(world, 'errors', 'is completed', ({ state }) => state === 'Completed');
  await isDegraded(world, 'RolledBack');

  await world.meters.set({ errors1: 0.02, errors2: 0.01, errors3: 0.01 });
  await applyYaml(world, template('v3'));
  await applyYaml(world, declaration(entry('errors', 'v3', PER_GROUP)));
  await arrivedAt(world, 'v3', clusters);
  const done = await untilEntry(
    world,
    'errors',
    'is completed',
    ({ state, targetRevision }) => state === 'Completed' && targetRevision === 3,
  );
  expect(done.analysis?.filter(({ revision }) => revision === 3)).toMatchObject([
    { group: 'rest', passed: 2, failed: 0 },
    { group: 'canary', passed: 2, failed: 0 },
  ]);
  expect(done.rejected).toHaveLength(1);
  await isDegraded(world, undefined);
  await world.hub.delete(rolloutPolicies, { name: 'measured' });
}

/** The provider does not answer, so the rollout halts as inconclusive and does not roll back. */
export async function providerAway(world: StoryWorld): Promise<void> {
  const clusters = ['away1', 'away2'];
  const analysis =
    '{ name: errors, provider: gone, query: story_errors, clusterFrom: cluster, initialDelay: 1s, interval: 1s, count: 2, inconclusiveLimit: 2, success: result < 0.1 }';
  await upgrade(world, 'away', clusters, analysis);
  const halted = await untilEntry(world, 'away', 'is halted', ({ state }) => state === 'Halted');
  expect(halted).toMatchObject({ targetRevision: 2, analysis: [{ group: 'canary', inconclusive: 2, result: 'Inconclusive' }] });
  expect(halted.message).toContain('2 measurements were inconclusive, the limit is 2: the provider did not answer');
  expect([halted.rejected, await versionsOf(world, clusters)]).toEqual([undefined, ['v2', 'v1']]);
  await world.hub.delete(rolloutPolicies, { name: 'measured' });
}

/** Three clusters are too few for the comparison, so the rollout halts as inconclusive although the values differ a lot. */
export async function threeClustersDecideNothing(world: StoryWorld): Promise<void> {
  const clusters = ['three1', 'three2', 'three3'];
  await world.meters.set({ three1: 0.9, three2: 0.01, three3: 0.01 });
  const analysis =
    '{ name: errors, provider: story, query: story_errors, clusterFrom: cluster, initialDelay: 1s, interval: 1s, count: 3, inconclusiveLimit: 2, compare: { worse: Higher, tolerance: "0.01" } }';
  await upgrade(world, 'three', clusters, analysis);
  const halted = await untilEntry(world, 'three', 'is halted', ({ state }) => state === 'Halted');
  expect(halted).toMatchObject({ targetRevision: 2, analysis: [{ inconclusive: 2, failed: 0, result: 'Inconclusive' }] });
  expect([halted.rejected, await versionsOf(world, clusters)]).toEqual([undefined, ['v2', 'v1', 'v1']]);
  await world.hub.delete(rolloutPolicies, { name: 'measured' });
}
