import { type RolloutEntry, clusterManagementAddOns } from '@outrigger/api';
import { type Condition, findCondition } from '@outrigger/core';
import { ADD_ON, World } from '../../../testing/fleet/world.js';

/** A fleet of these clusters, which the Placement `all` selects, with version v1 of the add-on. */
export function fleetOf(clusters: readonly string[], entry: object = {}): World {
  const world = new World();
  for (const cluster of clusters) world.cluster(cluster);
  world.template('v1', 'hello:1');
  world.choose('all', [clusters]);
  world.declare({ installStrategy: { type: 'Placements', placements: [placementEntry('all', entry)] } });
  world.start();
  return world;
}

export function placementEntry(name: string, rest: object = {}): object {
  return { namespace: 'default', name, ...rest };
}

export function progressive(options: object): object {
  return { rolloutStrategy: { type: 'Progressive', progressive: options } };
}

/** Runs passes over the fleet and over every add-on until nothing changes. The agents report `outcome`. */
export function settle(
  world: World,
  clusters: readonly string[],
  outcome: (cluster: string) => 'arrived' | 'failed' | undefined = () => 'arrived',
): void {
  for (let round = 0; round < 60; round++) {
    const before = world.hub.revision;
    world.pass(0);
    for (const cluster of clusters) {
      world.addOnPass(cluster);
      const result = outcome(cluster);
      if (result && !isDone(world, cluster)) world.report(cluster, result);
    }
    world.tick(1_100);
    if (world.hub.revision === before) return;
  }
  throw new Error('does not settle');
}

export function isDone(world: World, cluster: string): boolean {
  const conditions = world.addOn(cluster)?.status?.conditions;
  return findCondition(conditions, 'Progressing')?.reason === 'Succeed' && findCondition(conditions, 'Available')?.status === 'True';
}

export function entryOf(world: World, name = 'default/all'): RolloutEntry {
  const entry = world.rollout()?.status?.entries?.find((candidate) => candidate.name === name);
  if (!entry) throw new Error(`no entry ${name}`);
  return entry;
}

/** The names of the clusters in flight. */
export function inFlight(world: World, name?: string): string {
  return (entryOf(world, name).inFlight ?? []).map(({ cluster }) => cluster).join();
}

/** The digests of the content that a cluster should have, and of the content that it last applied. */
export function contentOf(world: World, cluster: string): { readonly desired: string | undefined; readonly applied: string | undefined } {
  const [ref] = world.addOn(cluster)?.status?.configReferences ?? [];
  return { desired: ref?.desiredConfig?.specHash, applied: ref?.lastAppliedConfig?.specHash };
}

export function condition(world: World, type: string): Pick<Condition, 'status' | 'reason' | 'message'> | undefined {
  const found = findCondition(world.hub.get(clusterManagementAddOns, { name: ADD_ON })?.status?.conditions, type);
  return found && { status: found.status, reason: found.reason, message: found.message };
}

/** The reason of the declaration's condition Progressing for its first Placement. */
export function progressReason(world: World): string | undefined {
  const [placement] = world.hub.get(clusterManagementAddOns, { name: ADD_ON })?.status?.installProgressions ?? [];
  return findCondition(placement?.conditions, 'Progressing')?.reason;
}

export function installedOn(world: World, clusters: readonly string[]): string {
  return clusters.filter((cluster) => world.addOn(cluster)).join();
}
