import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { fleetOf } from '../controllers/fleet/fixtures.js';
import { clusterNames, declaration, entryAt, follow, listingOf, planOf } from './fixtures.js';

const MINUTE = 60_000;

/** A duration between half a minute and four minutes that depends only on the name of the cluster. */
function durationOf(cluster: string): number {
  const number = Number(cluster.slice(1));
  return 30_000 + ((number * 7919) % 211) * 1_000;
}

const STRATEGIES: readonly { readonly name: string; readonly groups: readonly number[]; readonly strategy: object }[] = [
  { name: 'Progressive, 5 %', groups: [300], strategy: { type: 'Progressive', progressive: { maxConcurrency: '5%' } } },
  {
    name: 'Progressive with a soak and a deadline',
    groups: [40],
    strategy: { type: 'Progressive', progressive: { maxConcurrency: 3, minSuccessTime: '2m', progressDeadline: '30m' } },
  },
  {
    name: 'Progressive with a mandatory group',
    groups: [5, 35],
    strategy: { type: 'Progressive', progressive: { maxConcurrency: 7, mandatoryDecisionGroups: [{ groupIndex: 0 }] } },
  },
  {
    name: 'ProgressivePerGroup',
    groups: [3, 12, 25],
    strategy: { type: 'ProgressivePerGroup', progressivePerGroup: { minSuccessTime: '1m' } },
  },
  { name: 'All', groups: [40], strategy: { type: 'All' } },
];

describe('a plan predicts what the shipped controller does', () => {
  it.each(STRATEGIES)('$name: the same admissions in the same order', async ({ groups, strategy }) => {
    const names = clusterNames(groups.reduce((sum, count) => sum + count, 0));
    const world = fleetOf(names, { addonTemplate: { installVersion: 'v1' }, rolloutStrategy: { type: 'All' } });
    follow(world, names, () => 1_000);
    let from = 0;
    const chosen = groups.map((count) => names.slice(from, (from += count)));
    world.choose('all', chosen);
    world.template('v2', 'hello:2');
    follow(world, names, () => 1_000);
    const changed = declaration(entryAt('v2', strategy));
    const plan = await planOf(listingOf(world), [changed], { from: world.wall });
    const [entry] = plan.entries;
    const predicted = entry?.waves.flatMap(({ clusters }) => clusters);

    world.declare((changed as unknown as { spec: object }).spec);
    const real = follow(world, names, durationOf);
    expect(predicted).toEqual(real.admissions);
    expect(real.admissions).toHaveLength(names.length);
    expect(entry?.outcome).toBe('Completed');
  });

  it('with the durations that the clusters then take, the end is predicted to the second', async () => {
    const names = clusterNames(60);
    const strategy = { type: 'Progressive', progressive: { maxConcurrency: 8, minSuccessTime: '90s' } };
    const world = fleetOf(names, { addonTemplate: { installVersion: 'v1' }, rolloutStrategy: { type: 'All' } });
    follow(world, names, () => 1_000);
    world.template('v2', 'hello:2');
    const changed = declaration(entryAt('v2', strategy));
    const plan = await planOf(listingOf(world), [changed], { from: world.wall });
    const startedAt = world.wall;
    world.declare((changed as unknown as { spec: object }).spec);
    // Every real move takes the median time that the plan states.
    const real = follow(world, names, () => plan.durations.p50 * 1_000);
    const predictedMs = Date.parse(plan.entries[0]?.waves.at(-1)?.endAt ?? '') - startedAt;
    expect(Math.abs(predictedMs - 90_000 - (real.endedAt - startedAt))).toBeLessThan(MINUTE);
  });
});

describe('a plan with failures', () => {
  it('halts where the controller halts, with the same clusters touched', async () => {
    const names = clusterNames(50);
    const failing = new Set(['c0012', 'c0013', 'c0014']);
    const strategy = { type: 'Progressive', progressive: { maxConcurrency: 5, maxFailures: 2, progressDeadline: '10m' } };
    const world = fleetOf(names, { addonTemplate: { installVersion: 'v1' }, rolloutStrategy: { type: 'All' } });
    follow(world, names, () => 1_000);
    world.template('v2', 'hello:2');
    const changed = declaration(entryAt('v2', strategy));
    const plan = await planOf(listingOf(world), [changed], { from: world.wall, fail: failing });
    world.declare((changed as unknown as { spec: object }).spec);
    const real = follow(
      world,
      names,
      () => plan.durations.p50 * 1_000,
      (cluster) => (failing.has(cluster) ? 'failed' : 'arrived'),
    );
    expect(plan.failure).toMatchObject({ halted: plan.failure?.runs, turnedBack: 0 });
    expect(real.admissions.length).toBeLessThan(names.length);
    expect(plan.failure?.touched.p50).toBeGreaterThanOrEqual(15);
    expect(plan.failure?.touched.max).toBeLessThanOrEqual(25);
    expect(Math.abs((plan.failure?.touched.p50 ?? 0) - real.admissions.length)).toBeLessThanOrEqual(5);
  });

  it('a rate within the tolerance does not halt; one far beyond it always does, and touches few clusters', async () => {
    const names = clusterNames(100);
    const strategy = { type: 'Progressive', progressive: { maxConcurrency: 10, maxFailures: '10%' } };
    const world = fleetOf(names, { addonTemplate: { installVersion: 'v1' }, rolloutStrategy: { type: 'All' } });
    follow(world, names, () => 1_000);
    world.template('v2', 'hello:2');
    const changed = declaration(entryAt('v2', strategy));
    const mild = await planOf(listingOf(world), [changed], { from: world.wall, fail: 0.01 });
    const bad = await planOf(listingOf(world), [changed], { from: world.wall, fail: 0.8 });
    expect(mild.failure).toMatchObject({ halted: 0, touched: { max: 100 } });
    expect(bad.failure?.halted).toBe(bad.failure?.runs);
    expect(bad.failure?.touched.max).toBeLessThan(50);
  });
});

describe('a plan under a policy', () => {
  it('shows windows with the time at which they open, and counts from an approval', async () => {
    const names = clusterNames(5);
    const world = fleetOf(names, { addonTemplate: { installVersion: 'v1' }, rolloutStrategy: { type: 'All' } });
    follow(world, names, () => 60_000);
    world.choose('all', [names.slice(0, 2), names.slice(2)]);
    world.template('v2', 'hello:2');
    const policy = {
      apiVersion: 'outrigger.dev/v1alpha1',
      kind: 'RolloutPolicy',
      metadata: { name: 'careful' },
      spec: {
        addOns: { names: ['hello'] },
        windows: [{ name: 'mornings', effect: 'Allow', schedule: '0 8 * * *', duration: '2h' }],
        approvals: [{ name: 'go', before: 'Group', groups: [{ groupIndex: 1 }] }],
      },
    } as unknown as KubeObject;
    const changed = declaration(entryAt('v2', { type: 'ProgressivePerGroup', progressivePerGroup: {} }));
    const plan = await planOf(listingOf(world), [changed, policy], { from: Date.parse('2026-01-01T05:00:00Z') });
    const [entry] = plan.entries;
    expect(entry?.outcome).toBe('Completed');
    expect(entry?.gates).toContainEqual(
      expect.objectContaining({ kind: 'Window', name: 'careful/mornings', opensAt: '2026-01-01T08:00:00Z', certainty: 'known' }),
    );
    expect(entry?.gates).toContainEqual(expect.objectContaining({ kind: 'Approval', name: 'careful/go', certainty: 'unknown' }));
    expect(entry?.waves.map(({ startAt, clusters }) => [startAt, clusters.length])).toEqual([
      ['2026-01-01T08:00:00Z', 2],
      ['2026-01-01T08:01:00Z', 3],
    ]);
    expect(entry?.waves[1]?.after).toEqual({ gate: 'careful/go', seconds: 0 });
  });
});
