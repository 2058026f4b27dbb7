import { type RolloutPolicySpec, controllerRevisions, rolloutPolicies } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { readTargetRecord, TARGET_RECORD_LABEL, type TargetRecord } from '@outrigger/rules/rollout';
import { describe, expect, it } from 'vitest';
import { ADD_ON, type World } from '../../../testing/fleet/world.js';
import { entryOf, fleetOf, isDone, placementEntry, progressive, settle } from './fixtures.js';

const CLUSTERS = ['c1', 'c2', 'c3', 'c4'];
const ONE_BY_ONE = progressive({ maxConcurrency: 1, maxFailures: 0 });
const STRATEGIES: readonly (readonly [string, object])[] = [
  ['Progressive', progressive({ maxConcurrency: 2 })],
  ['Progressive, one by one', ONE_BY_ONE],
  ['All', {}],
  ['ProgressivePerGroup', { rolloutStrategy: { type: 'ProgressivePerGroup' } }],
];

function govern(world: World, spec: Partial<RolloutPolicySpec> = {}): void {
  world.hub.put(rolloutPolicies, {
    apiVersion: 'outrigger.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'p' },
    spec: { addOns: { names: [ADD_ON] }, ...spec },
  } as unknown as KubeObject);
}

function fleetAt(version: string, strategy: object): World {
  const world = fleetOf(CLUSTERS, { ...strategy, addonTemplate: { installVersion: version } });
  settle(world, CLUSTERS);
  return world;
}

function ask(world: World, installVersion: string, strategy: object): void {
  world.template(installVersion, `hello:${installVersion}`);
  const entry = placementEntry('all', { ...strategy, addonTemplate: { installVersion } });
  world.declare({ installStrategy: { type: 'Placements', placements: [entry] } });
}

function stored(world: World): readonly string[] {
  const all = world.hub.list(controllerRevisions).filter(({ metadata }) => metadata.labels?.[TARGET_RECORD_LABEL] !== undefined);
  return all.map(({ metadata }) => metadata.name ?? '').sort();
}

/** The target records that the changes in the entry's timeline name, newest first. */
function records(world: World): readonly (TargetRecord | undefined)[] {
  return (entryOf(world).timeline ?? []).flatMap(({ record }) => {
    if (record === undefined) return [];
    const object = world.hub.list(controllerRevisions).find(({ metadata }) => metadata.name === record);
    return [object && readTargetRecord(object)];
  });
}

const outcomes = (record: TargetRecord | undefined): string =>
  (record?.clusters ?? []).map(({ cluster, outcome }) => `${cluster} ${outcome}`).join();

describe('the record of a target that ended', () => {
  it.each(STRATEGIES)('has admission, outcome and duration of each cluster: %s', (_, strategy) => {
    const world = fleetAt('v1', strategy);
    govern(world);
    ask(world, 'v2', strategy);
    settle(world, CLUSTERS);
    const [record, ...others] = records(world);
    expect(others).toEqual([]);
    const [change] = entryOf(world).timeline ?? [];
    expect(record).toMatchObject({ addOn: ADD_ON, entry: 'default/all', revision: 2, from: 1, outcome: 'Completed', omitted: 0 });
    expect([record?.startedAt, record?.endedAt]).toEqual([change?.at, change?.endedAt]);
    expect(outcomes(record)).toBe('c1 Succeeded,c2 Succeeded,c3 Succeeded,c4 Succeeded');
    for (const { admittedAt = '', seconds = -1 } of record?.clusters ?? []) {
      expect(admittedAt >= (record?.startedAt ?? '') && admittedAt <= (record?.endedAt ?? '')).toBe(true);
      expect(seconds).toBeGreaterThanOrEqual(0);
    }
    expect(Math.max(...(record?.clusters ?? []).map(({ seconds = 0 }) => seconds))).toBe(change?.durations?.max);
    expect([entryOf(world).moves, world.pass(0)]).toEqual([undefined, []]);
  });

  it('has the admissions in the order in which the clusters moved', () => {
    const world = fleetAt('v1', ONE_BY_ONE);
    govern(world);
    ask(world, 'v2', ONE_BY_ONE);
    settle(world, CLUSTERS);
    const times = (records(world)[0]?.clusters ?? []).map(({ admittedAt }) => admittedAt ?? '');
    expect(times).toEqual([...times].sort());
    expect(new Set(times).size).toBe(CLUSTERS.length);
  });

  it('is stored for a target that was replaced before its end, with the clusters that failed, moved and waited', () => {
    const world = fleetAt('v1', progressive({ maxConcurrency: 2, maxFailures: 3, progressDeadline: '1h' }));
    govern(world);
    const strategy = progressive({ maxConcurrency: 2, maxFailures: 3 });
    ask(world, 'v2', strategy);
    settle(world, CLUSTERS, (cluster) => (cluster === 'c1' ? 'failed' : cluster === 'c2' ? 'arrived' : undefined));
    ask(world, 'v3', strategy);
    settle(world, CLUSTERS);
    const [v3, v2] = records(world);
    expect([v2?.revision, v2?.outcome, outcomes(v2)]).toEqual([2, 'Superseded', 'c1 Failed,c2 Succeeded,c3 Moving,c4 Moving']);
    expect([v3?.revision, v3?.outcome, outcomes(v3)]).toEqual([3, 'Completed', 'c1 Succeeded,c2 Succeeded,c3 Succeeded,c4 Succeeded']);
  });

  it('names clusters that were not admitted, and those that are unreachable', () => {
    const world = fleetAt('v1', ONE_BY_ONE);
    govern(world, { onFailure: { action: 'RollBack' } });
    world.cluster('c4', 'Unknown');
    ask(world, 'v2', ONE_BY_ONE);
    const agents = (cluster: string) =>
      world.addOn(cluster)?.status?.installVersion === 'v2' ? ('failed' as const) : ('arrived' as const);
    settle(world, CLUSTERS, agents);
    world.tick(61_000);
    settle(world, CLUSTERS, agents);
    const [back, failed] = records(world);
    expect([failed?.outcome, outcomes(failed)]).toEqual(['RolledBack', 'c1 Failed,c2 Waiting,c3 Waiting,c4 Skipped']);
    const c2 = back?.clusters.find(({ cluster }) => cluster === 'c2');
    // c2 was never admitted to v2, so it already has v1, the version to which the entry rolled back.
    expect([back?.outcome, c2]).toEqual(['Completed', { cluster: 'c2', outcome: 'Succeeded' }]);
  });

  it('is not stored without a policy', () => {
    const world = fleetAt('v1', ONE_BY_ONE);
    ask(world, 'v2', ONE_BY_ONE);
    settle(world, CLUSTERS);
    expect([stored(world), entryOf(world).moves, entryOf(world).timeline?.[0]?.record]).toEqual([[], undefined, undefined]);
  });

  describe('is complete wherever the leader dies, and records of attempts that failed are collected', () => {
    const story = (diesAfter: number): { readonly world: World; readonly writes: number } => {
      const world = fleetAt('v1', ONE_BY_ONE);
      govern(world);
      ask(world, 'v2', ONE_BY_ONE);
      let writes = 0;
      for (let round = 0; round < 60; round++) {
        const before = world.hub.revision;
        const left = diesAfter - writes;
        writes += world.pass(0, () => true, left > 0 ? left : Number.POSITIVE_INFINITY).length;
        for (const cluster of CLUSTERS) {
          world.addOnPass(cluster);
          if (!isDone(world, cluster)) world.report(cluster, 'arrived');
        }
        world.tick(1_100);
        if (world.hub.revision === before) break;
      }
      return { world, writes };
    };
    const { writes, world: undisturbed } = story(Number.POSITIVE_INFINITY);
    const expected = ['c1 Succeeded,c2 Succeeded,c3 Succeeded,c4 Succeeded'];
    it.each(Array.from({ length: writes }, (_, i) => i + 1))('after write %i', (diesAfter) => {
      const { world } = story(diesAfter);
      expect(records(world).map(outcomes)).toEqual(expected);
      for (const one of records(world)[0]?.clusters ?? []) {
        expect(one).toEqual({ ...one, admittedAt: expect.any(String), seconds: expect.any(Number) });
      }
      for (let i = 0; i < 3; i++) {
        world.tick(11 * 60_000);
        settle(world, CLUSTERS);
      }
      expect(stored(world)).toEqual((entryOf(world).timeline ?? []).flatMap(({ record }) => record ?? []).sort());
    });

    it('and if it does not die', () => {
      expect(records(undisturbed).map(outcomes)).toEqual(expected);
    });
  });

  it('is collected when the timeline no longer names it', () => {
    const world = fleetAt('v1', {});
    govern(world);
    for (let i = 2; i < 26; i++) {
      ask(world, `v${i}`, {});
      settle(world, CLUSTERS);
    }
    world.tick(11 * 60_000);
    settle(world, CLUSTERS);
    world.tick(11 * 60_000);
    settle(world, CLUSTERS);
    const named = (entryOf(world).timeline ?? []).flatMap(({ record }) => record ?? []);
    expect([named.length, stored(world)]).toEqual([20, [...named].sort()]);
    expect(world.pass(0)).toEqual([]);
  });
});
