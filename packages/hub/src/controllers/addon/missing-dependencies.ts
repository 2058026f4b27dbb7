import type { UnsatisfiedDependency } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { frozenDependencies, unsatisfiedDependencies } from '@outrigger/rules/dependencies';
import { type AddOnProjection, type ClusterProjection, isUnreachable } from '@outrigger/rules/observed';
import type { AddOnState } from './state.js';

/** The part of a pass's input that decides which dependencies are missing. */
export interface DependencyState extends Pick<AddOnState, 'dependencies' | 'prerequisites'> {
  readonly clusterAddOn: Pick<AddOnProjection, 'status'>;
  readonly cluster: Pick<ClusterProjection, 'available'> | undefined;
}

/**
 * The dependencies that are not satisfied on the cluster of an add-on. The Degraded condition and the metrics both report these
 * dependencies.
 */
export function missingDependencies({
  clusterAddOn,
  cluster,
  dependencies,
  prerequisites,
}: DependencyState): readonly UnsatisfiedDependency[] {
  if (!isUnreachable(cluster)) return unsatisfiedDependencies(dependencies, prerequisites);
  return frozenDependencies(dependencies, prerequisites, findCondition(clusterAddOn.status.conditions, 'Degraded'));
}
