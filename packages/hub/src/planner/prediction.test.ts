import { type RolloutEntry, type RolloutPolicySpec, rolloutPolicies } from '@outrigger/api';
import { type KubeObject, parseTime, toTime } from '@outrigger/core';
import type { Action } from '@outrigger/kube';
import { describe, expect, it } from 'vitest';
import { ADD_ON, type World } from '../../testing/fleet/world.js';
import { entryOf, fleetOf, isDone, placementEntry, progressive } from '../controllers/fleet/fixtures.js';
import { RECORD_ACTION } from '../controllers/fleet/record.js';
import { forecastEnds } from './prediction.js';

const CLUSTERS = ['c1', 'c2', 'c3', 'c4'];
const HOUR = 3_600_000;

function govern(world: World, spec: Partial<RolloutPolicySpec> = {}): void {
  world.hub.put(rolloutPolicies, {
    apiVersion: 'outrigger.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'p' },
    spec: { addOns: { names: [ADD_ON] }, ...spec },
  } as unknown as KubeObject);
}

function ask(world: World, installVersion: string): void {
  world.template(installVersion, `hello:${installVersion.slice(1)}`);
  const entry = { ...progressive({ maxConcurrency: 1 }), addonTemplate: { installVersion } };
  world.declare({ installStrategy: { type: 'Placements', placements: [placementEntry('all', entry)] } });
}

/** Runs passes until nothing changes, and returns the writes of the fleet controller. Each move takes less than 5 s. */
function run(world: World, rounds = 60): readonly Action[] {
  const writes: Action[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = world.hub.revision;
    writes.push(...world.pass(0).filter(({ type }) => type !== 'effect'));
    for (const cluster of CLUSTERS) {
      world.addOnPass(cluster);
      if (round % 2 === 1 && !isDone(world, cluster)) world.report(cluster, 'arrived');
    }
    world.tick(2_000);
    if (world.hub.revision === before && round > 5) return writes;
  }
  return writes;
}

function predictingFleet(isPredicting = true): World {
  const world = fleetOf(CLUSTERS, { ...progressive({ maxConcurrency: 1 }), addonTemplate: { installVersion: 'v1' } });
  if (isPredicting) {
    world.forecast = forecastEnds;
    world.crash(0);
  }
  run(world);
  return world;
}

const recordsIn = (writes: readonly Action[]): number => writes.filter(({ id }) => id === RECORD_ACTION).length;

function withoutPrediction({ prediction: _, ...entry }: RolloutEntry): RolloutEntry {
  return entry;
}

describe('the stored prediction of a rollout', () => {
  it('is part of a regular write of the record, and causes none of its own', () => {
    const [predicting, other] = [predictingFleet(), predictingFleet(false)];
    for (const world of [predicting, other]) {
      govern(world);
      run(world);
      ask(world, 'v2');
    }
    const startedAt = predicting.wall;
    const writes = [run(predicting), run(other)] as const;
    expect(recordsIn(writes[0])).toBe(recordsIn(writes[1]));
    const { prediction } = entryOf(predicting);
    expect(prediction).toMatchObject({ at: toTime(startedAt), runs: 200, basis: 'Recorded', moves: 4 });
    expect(prediction?.p50 ?? '').toMatch(/^20/);
    expect((prediction?.p90 ?? '') >= (prediction?.p50 ?? '')).toBe(true);
    expect(parseTime(prediction?.p50)).toBeGreaterThan(startedAt);
    expect(entryOf(predicting).state).toBe('Completed');
    // Apart from the prediction both records are equal.
    expect(withoutPrediction(entryOf(predicting))).toEqual(entryOf(other));
    expect(run(predicting)).toEqual([]);
    predicting.crash(0);
    expect(run(predicting)).toEqual([]);
  });

  it('without a policy, no byte of any write changes', () => {
    const [predicting, other] = [predictingFleet(), predictingFleet(false)];
    const written = [predicting, other].map((world) => {
      const writes = [ask(world, 'v2'), ...run(world), ask(world, 'v3'), ...run(world)];
      return JSON.stringify(writes.slice(1));
    });
    expect(written[0]).toContain('"targetRevision":3');
    expect(written[0]).toBe(written[1]);
  });

  it('is written alone after 5 s if a gate holds the start of the rollout, once', () => {
    const world = predictingFleet();
    const until = toTime(world.wall + 6 * HOUR);
    govern(world, { windows: [{ name: 'freeze', effect: 'Deny', from: toTime(world.wall - HOUR), until }] });
    run(world);
    ask(world, 'v2');
    world.pass(0);
    expect([entryOf(world).targetRevision, entryOf(world).prediction]).toEqual([2, undefined]);
    world.tick(2_000);
    expect(world.pass(0)).toEqual([]);
    expect(world.recheckMs).toBe(3_000);
    world.tick(3_000);
    expect(recordsIn(world.pass(0))).toBe(1);
    expect((entryOf(world).prediction?.p50 ?? '') > until).toBe(true);
    expect(run(world)).toEqual([]);
  });

  it('is not stored if the rollout does not end by itself', () => {
    const world = predictingFleet();
    govern(world, { windows: [{ name: 'never', effect: 'Allow', from: toTime(world.wall - 2 * HOUR), until: toTime(world.wall - HOUR) }] });
    run(world);
    ask(world, 'v2');
    run(world);
    expect([entryOf(world).targetRevision, entryOf(world).prediction]).toEqual([2, undefined]);
    expect(run(world)).toEqual([]);
    world.crash(0);
    expect(run(world)).toEqual([]);
  });

  it('belongs to its target: the next target gets its own, also if it is an earlier revision', () => {
    const world = predictingFleet();
    govern(world);
    ask(world, 'v2');
    run(world);
    const first = entryOf(world).prediction;
    world.tick(HOUR);
    ask(world, 'v1');
    world.pass(0);
    expect([entryOf(world).targetRevision, entryOf(world).prediction]).toEqual([1, undefined]);
    run(world);
    expect(entryOf(world).prediction?.at).not.toBe(first?.at);
    expect((entryOf(world).prediction?.at ?? '') > (first?.p90 ?? '')).toBe(true);
  });

  it('is computed by the next leader if the leader ended before it was stored', () => {
    const world = predictingFleet();
    govern(world);
    run(world);
    ask(world, 'v2');
    world.pass(0);
    world.tick(2_000);
    world.crash(0);
    run(world);
    expect(entryOf(world)).toMatchObject({ state: 'Completed', prediction: { runs: 200 } });
  });

  it('ends with the policy', () => {
    const world = predictingFleet();
    govern(world);
    ask(world, 'v2');
    run(world);
    world.hub.remove(rolloutPolicies, { name: 'p' });
    run(world);
    expect(entryOf(world).prediction).toBeUndefined();
    expect(run(world)).toEqual([]);
  });
});
