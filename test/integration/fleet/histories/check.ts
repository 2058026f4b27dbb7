import fc from 'fast-check';
import { rolloutApprovals } from '@outrigger/api';
import { type KubeObject, toTime } from '@outrigger/core';
import { assert } from 'vitest';
import { guard } from './invariants.js';
import { CLUSTERS, type Step, apply, gatedHistories, govern, histories, newWorld } from './steps.js';
import { ADD_ON, type World } from '../../../../packages/hub/testing/fleet/world.js';

/**
 * The number of histories without a policy, which equals the number of histories with a policy. CI runs 3,000 of each; `npm test` runs a
 * sample.
 */
const RUNS = Number(process.env['OUTRIGGER_HISTORIES'] ?? 300);
/** The seed of a single run. A failed run prints its seed, so that it can be repeated. */
const SEED = process.env['OUTRIGGER_SEED'];
const PARTS = 10;

/** The parts into which the histories are split, so that two files run them at the same time. */
export const parts: readonly number[] = Array.from({ length: PARTS }, (_, part) => part + 1);

/**
 * The numbers of the parts under a rollout policy. They differ from the numbers of the other parts, because the number of a part is its
 * seed.
 */
export const gatedParts: readonly number[] = parts.map((part) => PARTS + part);

/** Runs one part of the histories without a policy. Its seed is the number of the part, unless `SEED` is set. */
export function runPart(part: number): void {
  fc.assert(fc.property(histories, check), { numRuns: Math.ceil(RUNS / PARTS), seed: SEED === undefined ? part : Number(SEED) });
}

/** Runs one part under a rollout policy. */
export function runGatedPart(part: number): void {
  fc.assert(fc.property(gatedHistories, check), { numRuns: Math.ceil(RUNS / PARTS), seed: SEED === undefined ? part : Number(SEED) });
}

/** Ends all disturbances, so that every cluster is reachable, nothing is paused or pinned, and the PlacementDecisions are complete. */
function heal(world: World): void {
  for (const cluster of CLUSTERS) world.cluster(cluster);
  govern(world, undefined);
  retryAll(world);
  world.ask({ paused: false, pinnedRevision: undefined });
  apply(world, { do: 'choose', clusters: ['c1', 'c2', 'c3', 'c5'], canaries: ['c3'], isTorn: false });
}

/** Lifts every rejection, as a fleet admin would. */
function retryAll(world: World): void {
  for (const { name: entry, rejected = [] } of world.rollout()?.status?.entries ?? []) {
    for (const { gate, revision } of rejected) {
      world.hub.put(rolloutApprovals, {
        apiVersion: 'outrigger.dev/v1alpha1',
        kind: 'RolloutApproval',
        metadata: { name: `retry-${entry.replace('/', '-')}-${revision}`, creationTimestamp: toTime(world.wall + HOUR_MS) },
        spec: { addOn: ADD_ON, entry, revision, gate, decision: 'Retried', by: 'alice' },
      } as unknown as KubeObject);
    }
  }
}

const HOUR_MS = 3_600_000;

/** Alternates between passes of the two managers and reports of the agents, until both managers have settled and wait for nothing. */
function settle(world: World): void {
  for (let round = 0, quiet = 0; round < 200; round++) {
    const before = world.hub.revision;
    world.pass(round % 2);
    const waitMs = world.recheckMs;
    for (const cluster of CLUSTERS) {
      world.addOnPass(cluster);
      const clusterAddOn = world.addOn(cluster);
      const isDone = clusterAddOn?.status?.conditions?.some(({ type, reason }) => type === 'Progressing' && reason === 'Succeed');
      const isHealthy = clusterAddOn?.status?.conditions?.some(({ type, status }) => type === 'Available' && status === 'True');
      if (!isDone || !isHealthy) world.report(cluster, 'arrived');
    }
    const pending = world.rollout()?.status?.pendingRemoval;
    if (pending) world.ask({ confirmRemoval: pending.count });
    quiet = world.hub.revision === before && waitMs === undefined ? quiet + 1 : 0;
    if (quiet === 2) return;
    world.tick(Math.max(1_000, waitMs ?? 0));
  }
  throw new Error(`does not settle: ${JSON.stringify(world.rollout()?.status?.entries)}`);
}

/**
 * Returns the clusters with the add-on, the states of the entries, the number of clusters in flight, and the clusters with wrong content.
 */
function standings(world: World): { installed: readonly string[]; states: readonly string[]; inFlight: number; wrong: readonly string[] } {
  const { entries = [], history = [] } = world.rollout()?.status ?? {};
  const installed = CLUSTERS.filter((cluster) => world.addOn(cluster));
  const wrong = installed.flatMap((cluster) => {
    const clusterAddOn = world.addOn(cluster);
    const entry = entries.find(({ name }) => name === (cluster === 'c3' ? 'default/canary' : 'default/all'));
    const target = history.find(({ revision }) => revision === entry?.targetRevision);
    const own = clusterAddOn?.metadata.managedFields?.some(({ manager }) => manager === 'person')
      ? clusterAddOn.spec.installVersion
      : undefined;
    const want = own === undefined ? target?.configs?.[0]?.name : `hello-${own}`;
    const has = clusterAddOn?.status?.configReferences?.[0]?.lastAppliedConfig;
    const isContent = own !== undefined || has?.specHash === target?.configs?.[0]?.specHash;
    return has?.name === want && isContent ? [] : [`${cluster} has ${has?.name} wants ${want}`];
  });
  const inFlight = entries.flatMap((entry) => entry.inFlight ?? []).filter(({ cluster }) => cluster !== '*').length;
  return { installed, states: entries.map(({ state }) => state ?? ''), inFlight, wrong };
}

function check(steps: readonly Step[]): void {
  const world = newWorld();
  guard(world);
  for (const step of steps) apply(world, step);
  heal(world);
  settle(world);
  const { installed, states, inFlight, wrong } = standings(world);
  assert.deepEqual({ installed, inFlight, wrong }, { installed: ['c1', 'c2', 'c3', 'c5'], inFlight: 0, wrong: [] });
  assert.deepEqual([...new Set(states)], ['Completed']);

  // A settled fleet writes nothing, not even after a restart of the managers.
  const before = world.hub.revision;
  for (const manager of [0, 1]) world.crash(manager);
  for (const manager of [0, 1]) world.pass(manager);
  assert.equal(world.hub.revision - before, 0);
}
