import type { ManagedCluster, Placement, PlacementDecision } from '@outrigger/api';
import { memoize } from '@outrigger/core';
import {
  type ClusterProjection,
  type PlacementDecisionProjection,
  type PlacementProjection,
  projectCluster,
  projectPlacementDecision,
  projectPlacement,
} from '@outrigger/rules/observed';
import type { StrategyLookups } from '@outrigger/rules/strategy';
import type { FleetState } from './state.js';

const asIs = <T>(value: T): T => value;

/** Stored objects are replaced, never modified, so each needs to be projected only once. */
const clusterOf: (cluster: ManagedCluster) => ClusterProjection = memoize((cluster: ManagedCluster) => projectCluster(cluster, asIs));
const placementOf: (placement: Placement) => PlacementProjection = memoize((placement: Placement) => projectPlacement(placement, asIs));
const decisionOf: (page: PlacementDecision) => PlacementDecisionProjection = memoize((page: PlacementDecision) =>
  projectPlacementDecision(page, asIs),
);

export function observedCluster(state: FleetState, name: string): ClusterProjection | undefined {
  const cluster = state.clusters.get(name);
  return cluster && clusterOf(cluster);
}

/** Returns the lookup functions with which the rules evaluate install strategies. They read the console's copy of the fleet. */
export function strategyLookups(state: FleetState): StrategyLookups {
  const pages = [...state.decisions.values()].map(decisionOf);
  return {
    placement(key) {
      const found = state.placements.get(key);
      return found && placementOf(found);
    },
    pages: (placement) => pages.filter((page) => page.placement === placement),
    pagesWith: (cluster) => pages.filter((page) => page.clusters.includes(cluster)),
    cluster: (name) => observedCluster(state, name),
    *clusters() {
      for (const cluster of state.clusters.values()) yield clusterOf(cluster);
    },
  };
}
