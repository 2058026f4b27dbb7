import type { LogEntry, ObjectHistory, Stored, Violation } from './log.js';
import { type DeclarationSpec, KIND, conditionOf, specOf } from './reading.js';

/**
 * The hub's conditions settle within this time after the last change. The hub delays reporting an intermediate reason by five seconds
 * (addons.md §10).
 */
const QUIET_MS = 7_000;

/** addons.md §6: whenever nothing has been written for some time, the conditions match the dependencies. */
export class Dependencies {
  readonly #history: ObjectHistory;
  #lastAt: number | undefined;

  constructor(history: ObjectHistory) {
    this.#history = history;
  }

  /** Checks one entry of the log. Called before the entry is added to the history. */
  judge({ at, kind, index }: LogEntry): readonly Violation[] {
    if (kind === 'leases') return [];
    const isQuiet = this.#lastAt !== undefined && at - this.#lastAt >= QUIET_MS;
    this.#lastAt = at;
    if (!isQuiet) return [];
    return this.#history.list(KIND.addOns).flatMap((addOn) => {
      const { name = '', namespace = '', deletionTimestamp } = addOn.metadata;
      const declaration = this.#history.get(KIND.declarations, name);
      const cluster = this.#history.get(KIND.clusters, namespace);
      if (!declaration || !cluster || deletionTimestamp !== undefined || cluster.metadata.deletionTimestamp !== undefined) return [];
      const problem = degradedProblem(this.#history, declaration, addOn);
      return problem === undefined ? [] : [{ rule: 'dependencies', message: `${namespace}/${name} at a quiet point: ${problem}`, index }];
    });
  }
}

/** The dependencies that are not satisfied. */
function missingDependencies(history: ObjectHistory, declaration: Stored, addOn: Stored): readonly string[] {
  const { dependencies = [] } = specOf<DeclarationSpec>(declaration) ?? {};
  return dependencies.flatMap(({ name }) => {
    const other = history.get(KIND.addOns, `${addOn.metadata.namespace ?? ''}/${name}`);
    const isSatisfied = other && other.metadata.deletionTimestamp === undefined && conditionOf(other, 'Available')?.status === 'True';
    return isSatisfied ? [] : [name];
  });
}

/** addons.md §6: for required dependencies without a cycle, Degraded is True if and only if a dependency is missing. */
function degradedProblem(history: ObjectHistory, declaration: Stored, addOn: Stored): string | undefined {
  const degraded = conditionOf(addOn, 'Degraded');
  const isMissing = missingDependencies(history, declaration, addOn).length > 0;
  if (isMissing && degraded?.reason !== 'RequiredDependencyNotSatisfied')
    return `Degraded is ${degraded?.reason ?? 'absent'} although a dependency is missing`;
  if (!isMissing && degraded?.status === 'True') return `Degraded is True ${degraded.reason} although every dependency is satisfied`;
  const available = conditionOf(addOn, 'Available');
  if (isMissing && available?.status === 'True') return 'Available is True although a dependency is missing';
  return undefined;
}

/** Checks the conditions about dependencies (addons.md §6) at the end of a run, when every workload is available. */
export function judgeDependencies(history: ObjectHistory, declaration: Stored, addOn: Stored): string | undefined {
  const problem = degradedProblem(history, declaration, addOn);
  if (problem !== undefined) return problem;
  const available = conditionOf(addOn, 'Available');
  const wanted = missingDependencies(history, declaration, addOn).length > 0 ? 'False' : 'True';
  return available?.status === wanted ? undefined : `Available is ${available?.status ?? 'absent'} ${available?.reason ?? ''}`;
}
