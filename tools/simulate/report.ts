import { createHash } from 'node:crypto';
import { type Examined, type PreparedWorld, compareWithoutFaults, examine, generate, shrink, story } from '@outrigger/simulator';

/** The findings of one process. */
export interface Findings {
  readonly runs: number;
  readonly passes: number;
  readonly repeated: number;
  readonly cpuMs: number;
  readonly coverage: Readonly<Record<string, number>>;
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly seed: number;
  readonly rule: string;
  readonly message: string;
  /** The smallest history found that violates the same invariant, as JSON, for use in a regression test. */
  readonly history: string;
  readonly story: string;
}

/** The number of failures that are shown with their history. */
export const MOST_FAILURES = 5;

/** Every hundredth seed is run twice, and both runs must have the same log. */
export function isRepeated(seed: number): boolean {
  return seed % 100 === 0;
}

/** Runs one seed. The seed also fails if two runs of it have different logs, or if a run of the seed without faults ends differently. */
export async function runSeed(seed: number, prepared: PreparedWorld): Promise<Examined> {
  const history = generate(seed);
  const examined = await examine(history, prepared);
  if (!isRepeated(seed)) return examined;
  const violations = [...examined.violations];
  const again = await examine(history, prepared);
  if (digestOf(examined) !== digestOf(again)) violations.push({ rule: 'repeatable', message: 'a second run has another log' });
  const differences = await compareWithoutFaults(history, prepared);
  if (differences.length > 0) violations.push({ rule: 'faults leave a trace', message: differences.join('; ') });
  return { ...examined, violations };
}

export async function failureOf(examined: Examined, prepared: PreparedWorld, shrinks: boolean): Promise<Failure> {
  const smallest = shrinks ? await shrink(examined, prepared) : examined;
  const [first] = smallest.violations;
  return {
    seed: examined.result.history.seed,
    rule: first?.rule ?? '',
    message: first?.message ?? '',
    history: JSON.stringify(smallest.result.history),
    story: story(smallest.result, smallest.violations),
  };
}

/** Returns the digest of a run's log: actors, times, objects. */
export function digestOf({ result }: Examined): string {
  const hash = createHash('sha256');
  for (const { at, actor, kind, id, after } of result.log) hash.update(JSON.stringify([at, actor.name, kind.plural, id, after]));
  return hash.digest('hex');
}
