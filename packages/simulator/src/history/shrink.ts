import type { PreparedWorld } from '../world/world.js';
import { type Examined, examine } from './examine.js';
import type { History, TimedStep } from './steps.js';

/** Maximum number of runs in a search for a smaller history. */
const MOST_RUNS = 400;

/** Removes steps, and waiting times between steps, from a history as long as the same invariant is still violated. */
export async function shrink(found: Examined, prepared: PreparedWorld): Promise<Examined> {
  const rule = found.violations[0]?.rule;
  let best = found;
  let runs = 0;
  const attempt = async (history: History): Promise<boolean> => {
    if (runs++ >= MOST_RUNS) return false;
    const examined = await examine(history, prepared);
    const violations = examined.violations.filter((violation) => violation.rule === rule);
    if (violations.length === 0) return false;
    best = { ...examined, violations };
    return true;
  };
  for (let hasShrunk = true; hasShrunk && runs < MOST_RUNS; ) {
    hasShrunk = (await withoutSteps(() => best.result.history, attempt)) || (await withoutReplica(best.result.history, attempt));
  }
  return best;
}

/** Tries to leave out large parts of the history first, then single steps. The waiting time of a removed step is added to the next step. */
async function withoutSteps(current: () => History, attempt: (history: History) => Promise<boolean>): Promise<boolean> {
  let hasShrunk = false;
  for (let size = Math.ceil(current().steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = current().steps.length - size; start >= 0; start -= size) {
      const history = current();
      if (start + size > history.steps.length) continue;
      hasShrunk = (await attempt({ ...history, steps: without(history.steps, start, size) })) || hasShrunk;
    }
  }
  return hasShrunk;
}

async function withoutReplica(history: History, attempt: (history: History) => Promise<boolean>): Promise<boolean> {
  return history.hasReplica && (await attempt({ ...history, hasReplica: false }));
}

function without(steps: readonly TimedStep[], start: number, count: number): readonly TimedStep[] {
  const skippedMs = steps.slice(start, start + count).reduce((sum, { afterMs }) => sum + afterMs, 0);
  const rest = steps.slice(start + count);
  const [next, ...later] = rest;
  return [...steps.slice(0, start), ...(next ? [{ ...next, afterMs: next.afterMs + skippedMs }, ...later] : [])];
}
