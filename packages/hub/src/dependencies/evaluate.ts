import {
  type AddOnCondition,
  type AddOnDependency,
  DEPENDENCIES_SATISFIED_MESSAGE,
  type UnsatisfiedDependency,
  dependencyMessage,
  namesDependency,
} from '@outrigger/api';
import type { Condition } from '@outrigger/core';

/** Another add-on on the same cluster, as its dependents see it. */
export interface Prerequisite {
  readonly isDeleting: boolean;
  readonly isAvailable: boolean;
  readonly degradedReason: string | undefined;
}

export interface DependencyLookups {
  /** The add-on of that name on this cluster. */
  prerequisite(name: string): Prerequisite | undefined;
  /** The way round from this add-on over that dependency and back, if there is one. */
  cycle(name: string): readonly string[] | undefined;
}

const REASONS: ReadonlySet<string> = new Set(['DependencyNotSatisfied', 'RequiredDependencyNotSatisfied', 'DependenciesSatisfied']);

/** The dependencies that are not satisfied on this cluster, in declared order. */
export function unsatisfiedDependencies(
  dependencies: readonly AddOnDependency[],
  lookups: DependencyLookups,
): readonly UnsatisfiedDependency[] {
  return dependencies.flatMap((dependency): UnsatisfiedDependency[] => {
    const cycle = lookups.cycle(dependency.name);
    if (cycle !== undefined) return [{ ...dependency, cycle }];
    return isSatisfied(lookups.prerequisite(dependency.name)) ? [] : [dependency];
  });
}

/**
 * The same while the cluster is unreachable: whether the other add-ons are available is not known, so that each that exists keeps the verdict
 * the standing condition gives; one that is gone, or going, is missing whatever the cluster says.
 */
export function frozenDependencies(
  dependencies: readonly AddOnDependency[],
  lookups: DependencyLookups,
  standing: Condition | undefined,
): readonly UnsatisfiedDependency[] {
  const lacked = standing?.status === 'True' && REASONS.has(standing.reason) ? standing.message : '';
  return unsatisfiedDependencies(dependencies, {
    ...lookups,
    prerequisite(name) {
      const other = lookups.prerequisite(name);
      return other && { ...other, isAvailable: !namesDependency(lacked, name), degradedReason: undefined };
    },
  });
}

/**
 * What Degraded should say, or undefined to leave it as it is: an add-on that never lacked anything never gets the condition, and
 * somebody else's verdict stays until we have one of our own.
 */
export function degradedCondition(
  missing: readonly UnsatisfiedDependency[],
  current: Condition | undefined,
): Extract<AddOnCondition, { type: 'Degraded' }> | undefined {
  if (missing.length > 0) {
    const isRequired = missing.some(({ type }) => type !== 'Optional');
    return {
      type: 'Degraded',
      status: 'True',
      reason: isRequired ? 'RequiredDependencyNotSatisfied' : 'DependencyNotSatisfied',
      message: dependencyMessage(missing),
    };
  }
  if (!current || !REASONS.has(current.reason)) return undefined;
  return { type: 'Degraded', status: 'False', reason: 'DependenciesSatisfied', message: DEPENDENCIES_SATISFIED_MESSAGE };
}

function isSatisfied(other: Prerequisite | undefined): boolean {
  return other !== undefined && !other.isDeleting && other.isAvailable && other.degradedReason !== 'RequiredDependencyNotSatisfied';
}
