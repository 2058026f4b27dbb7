import type { RunResult } from './run.js';
import { type History, isFault } from './steps.js';

/** The time for which a fault counts as present after it began. */
const FAULT_MS = 15_000;
const NO_ROLLOUT = 'no rollout';

/** The state that an AddOnRollout reports. */
export function phaseOf(rollout: unknown): string {
  return (rollout as { status?: { state?: string } } | undefined)?.status?.state ?? NO_ROLLOUT;
}

/** Counts how often each user step coincided with each fault in each state of a rollout. */
export class Coverage {
  readonly #counts = new Map<string, number>();

  get size(): number {
    return this.#counts.size;
  }

  add({ history, log, marks }: RunResult): void {
    const current = new Map<string, string>();
    let entry = 0;
    const phases = history.steps.map((_, i) => {
      for (; entry < (marks[i] ?? 0); entry++) {
        const { kind, id = '', after } = log[entry] ?? {};
        if (kind?.plural === 'addonrollouts') current.set(id, phaseOf(after));
      }
      return new Map(current);
    });
    this.addPhases(history, phases);
  }

  /** Adds the coverage of one history. `phases` contains, for each step, the state of each add-on's rollout when the step was executed. */
  addPhases(history: History, phases: readonly ReadonlyMap<string, string>[]): void {
    let now = 0;
    let fault: { readonly name: string; readonly at: number } = { name: 'no fault', at: 0 };
    for (const [i, { afterMs, step }] of history.steps.entries()) {
      now += afterMs;
      if (isFault(step)) {
        fault = { name: step.do, at: now };
        continue;
      }
      const states: ReadonlyMap<string, string> = phases[i] ?? new Map();
      const phase = 'addOn' in step ? (states.get(step.addOn) ?? NO_ROLLOUT) : [...new Set(states.values())].sort().join('+');
      this.#count(`${step.do} × ${now - fault.at <= FAULT_MS ? fault.name : 'no fault'} × ${phase}`);
    }
  }

  merge(counts: Readonly<Record<string, number>>): void {
    for (const [name, count] of Object.entries(counts)) this.#count(name, count);
  }

  toRecord(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #count(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }
}
