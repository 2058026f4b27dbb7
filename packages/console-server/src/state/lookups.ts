import type { ManagedCluster, Placement, PlacementDecision } from '@outrigger/api';
import { memoize } from '@outrigger/core';
import {
  type ClusterRecord,
  type DecisionRecord,
  type PlacementRecord,
  projectCluster,
  projectDecision,
  projectPlacement,
} from '@outrigger/rules/observed';
import type { StrategyLookups } from '@outrigger/rules/strategy';
import type { FleetState } from './state.js';

const asIs = <T>(value: T): T => value;

/** Stored objects are replaced, never modified, so each needs to be projected only once. */
const clusterOf: (cluster: ManagedCluster) => ClusterRecord = memoize((cluster: ManagedCluster) => projectCluster(cluster, asIs));
const placementOf: (placement: Placement) => PlacementRecord = memoize((placement: Placement) => projectPlacement(placement, asIs));
const decisionOf: (page: PlacementDecision) => DecisionRecord = memoize((page: PlacementDecision) => projectDecision(page, asIs));

export function observedCluster(state: FleetState, name: string): ClusterRecord | undefined {
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
