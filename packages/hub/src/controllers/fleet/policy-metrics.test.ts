import { type RolloutPolicySpec, rolloutPolicies } from '@outrigger/api';
import { type KubeObject, toTime } from '@outrigger/core';
import type { EffectContext } from '@outrigger/kube';
import { createPrometheusMetrics } from '@outrigger/kube/node';
import { TallyGauge } from '@outrigger/kube/testing';
import { type RolloutProjection, projectRollout } from '@outrigger/rules/observed';
import { describe, expect, it } from 'vitest';
import { ADD_ON, type World } from '../../../testing/fleet/world.js';
import { fleetTallies } from '../../fleet-metrics.js';
import { countHandler } from './effects.js';
import { entryOf, fleetOf, progressive, settle } from './fixtures.js';

const CLUSTERS = ['c1', 'c2', 'c3', 'c4'];
const HOUR = 3_600_000;
/** The handler of the counters does not use its context. */
const CONTEXT = {} as EffectContext;

function govern(world: World, spec: Partial<RolloutPolicySpec>): void {
  const policy = { addOns: { names: [ADD_ON] }, ...spec };
  world.hub.put(rolloutPolicies, {
    apiVersion: 'outrigger.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'p' },
    spec: policy,
  } as unknown as KubeObject);
}

/** A fleet at v1 that a policy governs, with a new version v2. */
function upgraded(spec: (world: World) => Partial<RolloutPolicySpec>): World {
  const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 4 }));
  settle(world, CLUSTERS);
  govern(world, spec(world));
  world.template('v2', 'hello:2');
  return world;
}

/** The samples of a metric, as a scrape shows them. */
async function samples(metrics: ReturnType<typeof createPrometheusMetrics>, name: string): Promise<readonly string[]> {
  return (await metrics.scrape()).body.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
}

describe('outrigger_rollout_waiting', () => {
  const NAME = 'outrigger_rollout_waiting';
  const sample = (kind: string, count: number): string => `${NAME}{add_on="hello",entry="default/all",kind="${kind}"} ${count}`;

  it('counts the clusters that each kind of gate holds, and has no series for a kind when its wait ends', async () => {
    const metrics = createPrometheusMetrics();
    const definition = fleetTallies.find(({ gauge }) => gauge.name === NAME);
    if (!definition) throw new Error(`no tally ${NAME}`);
    const gauge = new TallyGauge(definition, metrics);
    let before: RolloutProjection | undefined;
    const scraped = async (world: World): Promise<readonly string[]> => {
      const rollout = world.rollout();
      const after = rollout && projectRollout(rollout, (value) => value);
      gauge.apply({ before, after });
      before = after;
      return samples(metrics, NAME);
    };
    const freeze = (world: World) => ({
      name: 'freeze',
      effect: 'Deny' as const,
      from: toTime(world.wall - HOUR).slice(0, 16),
      until: toTime(world.wall + 6 * HOUR).slice(0, 16),
    });
    const world = upgraded((one) => ({ windows: [freeze(one)], approvals: [{ name: 'bake', before: 'Rollout', wait: '12h' }] }));
    expect(await scraped(world)).toEqual([]);
    settle(world, CLUSTERS);
    expect(await scraped(world)).toEqual([sample('Window', 4), sample('Approval', 4)]);
    world.tick(6 * HOUR);
    settle(world, CLUSTERS);
    expect(await scraped(world)).toEqual([sample('Approval', 4)]);
    world.tick(6 * HOUR);
    settle(world, CLUSTERS);
    expect(entryOf(world).state).toBe('Completed');
    expect(await scraped(world)).toEqual([]);
  });
});

describe('the counters of rollout policies', () => {
  const analysis = {
    name: 'errors',
    provider: 'prometheus',
    query: 'errors',
    interval: '1m',
    initialDelay: '1m',
    count: 2,
    inconclusiveLimit: 2,
    success: 'result < 0.1',
  };

  it.each([
    { name: 'measurements that pass', value: 0.01, analysed: ['{result="pass"} 2'], rolledBack: [] },
    { name: 'a measurement that fails', value: 0.9, analysed: ['{result="fail"} 1'], rolledBack: ['{add_on="hello"} 1'] },
    { name: 'measurements without a result', value: undefined, analysed: ['{result="inconclusive"} 2'], rolledBack: [] },
  ])('outrigger_rollout_analysis_total and outrigger_rollout_rolled_back_total: $name', async ({ value, analysed, rolledBack }) => {
    const world = upgraded(() => ({ analysis: [analysis], onFailure: { action: 'RollBack' } }));
    world.provider = () => ({ series: value === undefined ? [] : [{ labels: {}, value }] });
    for (let minute = 0; minute < 20; minute++) {
      settle(world, CLUSTERS);
      world.tick(60_000);
    }
    const metrics = createPrometheusMetrics();
    const count = countHandler(metrics);
    for (const counts of world.counted) await count(counts, CONTEXT);
    expect(await samples(metrics, 'outrigger_rollout_analysis_total')).toEqual(
      analysed.map((one) => `outrigger_rollout_analysis_total${one}`),
    );
    expect(await samples(metrics, 'outrigger_rollout_rolled_back_total')).toEqual(
      rolledBack.map((one) => `outrigger_rollout_rolled_back_total${one}`),
    );
  });
});
