import type { RunResult } from './run.js';
import { isFault } from './steps.js';

/** How long a fault counts as present after it began. */
const FAULT_MS = 15_000;

/** Counts how often each action coincided with each fault in each phase of a rollout. */
export class Coverage {
  readonly #counts = new Map<string, number>();

  get size(): number {
    return this.#counts.size;
  }

  add({ history, log, marks }: RunResult): void {
    const phases = new Map<string, string>();
    let entry = 0;
    let now = 0;
    let fault: { readonly name: string; readonly at: number } = { name: 'no fault', at: 0 };
    for (const [i, { afterMs, step }] of history.steps.entries()) {
      now += afterMs;
      for (; entry < (marks[i] ?? 0); entry++) {
        const { kind, id, after } = log[entry] ?? {};
        if (kind?.plural === 'addonrollouts')
          phases.set(id ?? '', (after as { status?: { state?: string } } | undefined)?.status?.state ?? 'no rollout');
      }
      if (isFault(step)) {
        fault = { name: step.do, at: now };
        continue;
      }
      const phase = 'addOn' in step ? (phases.get(step.addOn) ?? 'no rollout') : [...new Set(phases.values())].sort().join('+');
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
