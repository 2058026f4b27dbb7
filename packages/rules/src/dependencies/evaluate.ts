import {
  type AddOnCondition,
  type AddOnDependency,
  DEPENDENCIES_SATISFIED_MESSAGE,
  type UnsatisfiedDependency,
  dependencyMessage,
  namesDependency,
} from '@outrigger/api';
import type { Condition } from '@outrigger/core';

/** The state of another add-on on the same cluster that its dependents use. */
export interface Prerequisite {
  readonly isDeleting: boolean;
  readonly isAvailable: boolean;
  readonly degradedReason: string | undefined;
}

export interface DependencyLookups {
  /** The add-on with the given name on this cluster. */
  prerequisite(name: string): Prerequisite | undefined;
  /** The cycle from this add-on through the named dependency back to this add-on, if such a cycle exists. */
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
 * The unsatisfied dependencies while the cluster is unreachable. In this state the availability of existing add-ons is unknown, so the last
 * reported condition (`standing`) is used. An add-on that does not exist or is being deleted is not satisfied in any case.
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
 * The Degraded condition; if the result is undefined, the condition stays unchanged. An add-on whose dependencies were always satisfied
 * never gets the condition, and a condition of another writer stays until this hub finds a dependency unsatisfied.
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
