import {
  type AddOnConditionOf,
  type AddOnDependency,
  DEPENDENCIES_SATISFIED_MESSAGE,
  type UnsatisfiedDependency,
  dependencyMessage,
  namesDependency,
} from '@outrigger/api';
import type { Condition } from '@outrigger/core';

/** The state of an add-on that other add-ons on the same cluster depend on. */
export interface Prerequisite {
  readonly isDeleting: boolean;
  readonly isAvailable: boolean;
  readonly degradedReason: string | undefined;
}

export interface DependencyLookups {
  /** The add-on with the given name on this cluster. */
  prerequisite(name: string): Prerequisite | undefined;
  /** Returns the dependency cycle that leads from this add-on through the named dependency back to this add-on, if there is one. */
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
 * The dependencies that count as unsatisfied while the cluster is unreachable. The availability of existing add-ons is then unknown, so the
 * last reported condition (`reported`) is used for them. An add-on that does not exist or is being deleted is never satisfied.
 */
export function frozenDependencies(
  dependencies: readonly AddOnDependency[],
  lookups: DependencyLookups,
  reported: Condition | undefined,
): readonly UnsatisfiedDependency[] {
  const lacked = reported?.status === 'True' && REASONS.has(reported.reason) ? reported.message : '';
  return unsatisfiedDependencies(dependencies, {
    ...lookups,
    prerequisite(name) {
      const other = lookups.prerequisite(name);
      return other && { ...other, isAvailable: !namesDependency(lacked, name), degradedReason: undefined };
    },
  });
}

/**
 * Returns the Degraded condition, or undefined to leave it unchanged. An add-on whose dependencies were always satisfied never gets the
 * condition, and a condition from another writer stays until this hub finds an unsatisfied dependency.
 */
export function degradedCondition(
  missing: readonly UnsatisfiedDependency[],
  current: Condition | undefined,
): AddOnConditionOf<'Degraded'> | undefined {
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
