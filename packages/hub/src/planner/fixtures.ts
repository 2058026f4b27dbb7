import { EVERY_CLUSTER } from '@outrigger/api';
import { ApiError, type KubeObject, TimeHeap } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { ADD_ON, type World } from '../../testing/fleet/world.js';
import { placementEntry } from '../controllers/fleet/fixtures.js';
import type { HubListing } from './listing.js';
import { planListed, planResources, type PlanRequest } from './plan.js';
import type { Plan } from './types.js';

export function clusterNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `c${String(i).padStart(4, '0')}`);
}

/** The objects on the world's hub, in the form that `listHub` returns. */
export function listingOf({ hub }: World): HubListing {
  return { objects: new Map(planResources().map((resource) => [resource, hub.list(resource.kind)])), unreadable: [] };
}

/** A client for a hub on which no role exists. */
const NO_ROLES = {
  get: async () => {
    throw new ApiError('NotFound', 'no role');
  },
} as unknown as Client;

/** Plans a change that writes these objects. */
export function planOf(
  hub: HubListing,
  objects: readonly KubeObject[],
  options: Partial<PlanRequest> & { readonly from: number },
): Promise<Plan> {
  return planListed(NO_ROLES, hub, { addOn: ADD_ON, title: 'planned', change: () => ({ objects }), seed: 1, ...options });
}

/** The world's declaration, with one entry per Placement. */
export function declaration(...entries: readonly object[]): KubeObject {
  return {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ClusterManagementAddOn',
    metadata: { name: ADD_ON },
    spec: { installStrategy: { type: 'Placements', placements: entries } },
  } as unknown as KubeObject;
}

/** An entry for the Placement `all`, with a version and a rollout strategy. */
export function entryAt(version: string, rolloutStrategy: object): object {
  return placementEntry('all', { addonTemplate: { installVersion: version }, rolloutStrategy });
}

export interface Followed {
  /** The admitted clusters in the order of the record. */
  readonly admissions: readonly string[];
  readonly endedAt: number;
}

/**
 * Runs the shipped fleet controller on the world's clock until no cluster moves any more. Each admitted cluster reports the result of
 * `outcomeOf` after its duration.
 */
export function follow(
  world: World,
  clusters: readonly string[],
  durationOf: (cluster: string) => number,
  outcomeOf: (cluster: string) => 'arrived' | 'failed' = () => 'arrived',
): Followed {
  const arrivals = new TimeHeap<string>();
  const admitted = new Set<string>();
  let endedAt = world.wall;
  const earlier = new Set((world.rollout()?.status?.entries ?? []).map(({ targetRevision }) => targetRevision));
  for (let idle = 0; idle < 3; ) {
    const before = world.hub.revision;
    world.pass(0);
    for (const cluster of admittedNow(world, clusters, earlier)) {
      if (admitted.has(cluster)) continue;
      admitted.add(cluster);
      world.addOnPass(cluster);
      arrivals.push(world.wall + durationOf(cluster), cluster);
    }
    const next = arrivals.peek();
    idle = world.hub.revision === before && !next ? idle + 1 : 0;
    const waits = [next ? next.at - world.wall : undefined, world.recheckMs].filter((ms) => ms !== undefined);
    world.tick(Math.max(1, Math.min(...waits, world.hub.revision === before ? 3_600_000 : 1_000)));
    for (let due = arrivals.peek(); due && due.at <= world.wall; due = arrivals.peek()) {
      arrivals.pop();
      world.addOnPass(due.value);
      world.report(due.value, outcomeOf(due.value));
      endedAt = world.wall;
    }
  }
  return { admissions: [...admitted], endedAt };
}

/** The clusters that the record admits to targets other than `earlier`. A wildcard admission admits all clusters. */
function admittedNow(world: World, clusters: readonly string[], earlier: ReadonlySet<number | undefined>): readonly string[] {
  return (world.rollout()?.status?.entries ?? []).flatMap(({ targetRevision, inFlight = [] }) => {
    if (earlier.has(targetRevision)) return [];
    const named = inFlight.filter(({ revision }) => revision === targetRevision).map(({ cluster }) => cluster);
    return named.includes(EVERY_CLUSTER) ? clusters : named;
  });
}
