/**
 * Measures the cost of a plan in processor time: for 10,000 clusters with maxConcurrency 1 %, including the 200 seeded runs of the
 * forecast; and for 200 runs with failures of 1,000 clusters.
 *
 *   node --expose-gc --import tsx --conditions=source benchmarks/plan.ts
 */
import type { KubeObject } from '@outrigger/core';
import { fleetOf } from '../packages/hub/src/controllers/fleet/fixtures.js';
import { clusterNames, declaration, entryAt, follow, listingOf, planOf } from '../packages/hub/src/planner/fixtures.js';
import type { HubListing } from '../packages/hub/src/planner/listing.js';
import type { PlanRequest } from '../packages/hub/src/planner/plan.js';

/** Returns a hub on which every cluster is like the only cluster of a small world. */
function fleet(names: readonly string[]): { readonly hub: HubListing; readonly wall: number } {
  const [first = ''] = names;
  const world = fleetOf([first], { addonTemplate: { installVersion: 'v1' }, rolloutStrategy: { type: 'All' } });
  follow(world, [first], () => 60_000);
  world.template('v2', 'hello:2');
  const copies: Readonly<Record<string, (object: KubeObject) => readonly KubeObject[]>> = {
    ManagedCluster: (object) => names.map((name) => copy(object, { name })),
    ManagedClusterAddOn: (object) => names.map((namespace) => copy(object, { namespace, name: 'hello' })),
    PlacementDecision: (object) => [
      { ...object, status: { decisions: names.map((clusterName) => ({ clusterName, reason: '' })) } } as KubeObject,
    ],
    Placement: (object) => [{ ...object, status: { numberOfSelectedClusters: names.length } } as KubeObject],
  };
  const { objects, unreadable } = listingOf(world);
  const all = [...objects].map(([resource, listed]) => [resource, listed.flatMap((one) => copies[one.kind]?.(one) ?? [one])] as const);
  return { hub: { objects: new Map(all), unreadable }, wall: world.wall };
}

function copy(object: KubeObject, key: { readonly name: string; readonly namespace?: string }): KubeObject {
  return { ...object, metadata: { ...object.metadata, ...key, uid: `${key.namespace ?? ''}/${key.name}` } };
}

/** Returns the processor time of this process so far, in seconds. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Returns the processor time, in seconds, for one plan of an upgrade. */
async function measure(size: number, progressive: object, options: Partial<PlanRequest>): Promise<number> {
  const { hub, wall } = fleet(clusterNames(size));
  const before = cpuSeconds();
  const plan = await planOf(hub, [declaration(entryAt('v2', { type: 'Progressive', progressive }))], { from: wall, ...options });
  const seconds = cpuSeconds() - before;
  const moving = plan.entries[0]?.groups[0]?.moving.length;
  if (moving !== size) throw new Error(`the plan moves ${moving} of ${size} clusters`);
  return seconds;
}

const report = (name: string, value: number, budget: number): void => {
  process.stdout.write(`${JSON.stringify({ name, value: Number(value.toFixed(2)), unit: 's of CPU', budget })}\n`);
};

report('plan of 10,000 clusters, 1 % at a time, 200 runs', await measure(10_000, { maxConcurrency: '1%', minSuccessTime: '1m' }, {}), 10);
const failing = { maxConcurrency: '1%', maxFailures: '100%', progressDeadline: '10m' };
report('plan of 1,000 clusters, 200 runs with failures', await measure(1_000, failing, { fail: 0.05, offline: 0.01 }), 60);
