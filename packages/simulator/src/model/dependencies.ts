import type { LogEntry, ObjectHistory, Stored, Violation } from './log.js';
import { type DeclarationSpec, KIND, conditionOf, specOf } from './reading.js';

const REQUIRED_IS_MISSING = 'RequiredDependencyNotSatisfied';
const OPTIONAL_IS_MISSING = 'DependencyNotSatisfied';

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
      const problem = degradedProblem(this.#history, addOn);
      return problem === undefined ? [] : [{ rule: 'dependencies', message: `${namespace}/${name} at a quiet point: ${problem}`, index }];
    });
  }
}

type Dependency = NonNullable<DeclarationSpec['dependencies']>[number];

function dependenciesOf(history: ObjectHistory, addOn: string): readonly Dependency[] {
  return specOf<DeclarationSpec>(history.get(KIND.declarations, addOn))?.dependencies ?? [];
}

/** The dependencies that are not satisfied. addons.md §6: one that leads back to the add-on is never satisfied. */
function missingDependencies(history: ObjectHistory, addOn: Stored): readonly Dependency[] {
  const { name: own = '', namespace = '' } = addOn.metadata;
  return dependenciesOf(history, own).filter(({ name }) => {
    if (reaches(history, name, own)) return true;
    const other = history.get(KIND.addOns, `${namespace}/${name}`);
    const isThere = other !== undefined && other.metadata.deletionTimestamp === undefined;
    const isSatisfied =
      conditionOf(other, 'Available')?.status === 'True' && conditionOf(other, 'Degraded')?.reason !== REQUIRED_IS_MISSING;
    return !isThere || !isSatisfied;
  });
}

/** Whether a path of dependencies leads from one add-on to another. */
function reaches(history: ObjectHistory, from: string, to: string): boolean {
  const known = new Set([from]);
  for (const name of known) {
    if (name === to) return true;
    for (const next of dependenciesOf(history, name)) known.add(next.name);
  }
  return false;
}

function isRequired({ type }: Dependency): boolean {
  return type !== 'Optional';
}

/** addons.md §6: Degraded says whether a dependency is missing, and by its reason whether one of these is required. */
function degradedProblem(history: ObjectHistory, addOn: Stored): string | undefined {
  const degraded = conditionOf(addOn, 'Degraded');
  const missing = missingDependencies(history, addOn);
  const names = missing.map(({ name }) => name).join(', ');
  const wanted = missing.length === 0 ? undefined : missing.some(isRequired) ? REQUIRED_IS_MISSING : OPTIONAL_IS_MISSING;
  if (wanted !== undefined && (degraded?.status !== 'True' || degraded.reason !== wanted))
    return `Degraded is ${degraded?.reason ?? 'absent'} instead of ${wanted} although ${names} is missing`;
  if (wanted === undefined && degraded?.status === 'True')
    return `Degraded is True ${degraded.reason} although every dependency is satisfied`;
  const available = conditionOf(addOn, 'Available');
  if (missing.some(isRequired) && available?.status === 'True') return `Available is True although ${names} is missing`;
  return undefined;
}

/** Checks the conditions about dependencies (addons.md §6) at the end of a run, when every workload is available. */
export function judgeDependencies(history: ObjectHistory, addOn: Stored): string | undefined {
  const problem = degradedProblem(history, addOn);
  if (problem !== undefined) return problem;
  const available = conditionOf(addOn, 'Available');
  const wanted = missingDependencies(history, addOn).some(isRequired) ? 'False' : 'True';
  return available?.status === wanted ? undefined : `Available is ${available?.status ?? 'absent'} ${available?.reason ?? ''}`;
}
