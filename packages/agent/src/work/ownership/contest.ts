import { backoffMs } from '@outrigger/core';

/**
 * The in-memory state from which an agent detects that another agent applies the same work by mistake (two agents of one cluster, or of two
 * clusters that share a name). Without a back-off, the two would revert each other's writes continuously. Times are monotonic.
 */
export interface Contest {
  /**
   * The time at which this agent last wrote its own id to an applied work that another agent then took over, and the number of earlier
   * takeovers in a row.
   */
  readonly taken?: { readonly at: number; readonly count: number };
  /** The time at which this agent last wrote the list of resources, and the level of a leaky bucket that counts these writes. */
  readonly written?: { readonly at: number; readonly level: number };
}

const LEFT_FOR = { baseMs: 10_000, maxMs: 300_000 } as const;
const FORGOTTEN_AFTER_MS = 3_600_000;
const LIST_WRITES = { burst: 20, refillMs: 5_000 } as const;

/**
 * Records that another agent took over the applied work. `at` is the time at which this agent last wrote its own id to the applied work.
 */
export function takenOver({ taken }: Contest, at: number): Required<Contest>['taken'] {
  if (taken?.at === at) return taken;
  return { at, count: taken && at - taken.at < FORGOTTEN_AFTER_MS ? taken.count + 1 : 0 };
}

/**
 * Returns the time until which this agent leaves the applied work to the agent that took it over. The first wait is short, because an agent
 * that is being replaced may write once more before it exits.
 */
export function leftUntil({ at, count }: Required<Contest>['taken']): number {
  return at + backoffMs(count + 1, LEFT_FOR);
}

/** Records that this agent wrote the list of resources at the time `at`. */
export function listWritten({ written }: Contest, at: number): Required<Contest>['written'] {
  if (written?.at === at) return written;
  return { at, level: 1 + (written ? Math.max(0, written.level - (at - written.at) / LIST_WRITES.refillMs) : 0) };
}

/**
 * Returns the monotonic time from which the agent may write the list. After a burst of writes, the agent must wait before each further one.
 */
export function listFrom({ at, level }: Required<Contest>['written']): number {
  return at + Math.max(0, level - LIST_WRITES.burst) * LIST_WRITES.refillMs;
}
