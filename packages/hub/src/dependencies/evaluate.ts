import type { Condition, ConditionInput } from '@outrigger/core';

export interface Dependency {
  readonly name: string;
  readonly type?: 'Required' | 'Optional';
  readonly message?: string;
}

/** Another add-on on the same cluster, as its dependents see it. */
export interface Prerequisite {
  readonly isDeleting: boolean;
  readonly isAvailable: boolean;
  readonly degradedReason: string | undefined;
}

export interface DependencyLookups {
  /** The add-on of that name on this cluster. */
  prerequisite(name: string): Prerequisite | undefined;
  /** The cycle this dependency is part of, printed, if it is. */
  cycle(name: string): string | undefined;
}

export interface Unsatisfied {
  readonly name: string;
  readonly type: 'Required' | 'Optional';
  readonly sentences: readonly string[];
}

const REASONS: ReadonlySet<string> = new Set(['DependencyNotSatisfied', 'RequiredDependencyNotSatisfied', 'DependenciesSatisfied']);

/** Required first, then by name: the order of the message. */
export function unsatisfiedDependencies(dependencies: readonly Dependency[], lookups: DependencyLookups): readonly Unsatisfied[] {
  return dependencies
    .map((dependency) => unsatisfied(dependency, lookups))
    .filter((result) => result !== undefined)
    .sort((a, b) => Number(b.type === 'Required') - Number(a.type === 'Required') || (a.name < b.name ? -1 : 1));
}

/**
 * What Degraded should say, or undefined to leave it as it is: an add-on that never lacked anything never gets the condition, and
 * somebody else's verdict stays until we have one of our own.
 */
export function degradedCondition(missing: readonly Unsatisfied[], current: Condition | undefined): ConditionInput | undefined {
  if (missing.length > 0) {
    const isRequired = missing.some(({ type }) => type === 'Required');
    return {
      type: 'Degraded',
      status: 'True',
      reason: isRequired ? 'RequiredDependencyNotSatisfied' : 'DependencyNotSatisfied',
      message: paragraph(missing.flatMap(({ sentences }) => sentences)),
    };
  }
  if (!current || !REASONS.has(current.reason)) return undefined;
  return { type: 'Degraded', status: 'False', reason: 'DependenciesSatisfied', message: 'All dependencies are satisfied.' };
}

function unsatisfied({ name, type = 'Required', message }: Dependency, lookups: DependencyLookups): Unsatisfied | undefined {
  const more = message ? [message] : [];
  const cycle = lookups.cycle(name);
  if (cycle !== undefined) return { name, type, sentences: [`${type} addon '${name}' is part of a dependency cycle: ${cycle}.`, ...more] };
  if (isSatisfied(lookups.prerequisite(name))) return undefined;
  return { name, type, sentences: [`${type} addon '${name}' is not installed or not available`, ...more] };
}

function isSatisfied(other: Prerequisite | undefined): boolean {
  return other !== undefined && !other.isDeleting && other.isAvailable && other.degradedReason !== 'RequiredDependencyNotSatisfied';
}

/** A full stop is added only where another sentence follows. */
function paragraph(sentences: readonly string[]): string {
  return sentences
    .map((sentence, index) => (index < sentences.length - 1 && !/[.!?]$/.test(sentence) ? `${sentence}.` : sentence))
    .join(' ');
}
