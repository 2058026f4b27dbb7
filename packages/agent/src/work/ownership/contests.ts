import { backoffMs } from '@outrigger/core';

/**
 * Detects that another agent applies the same works by mistake (two agents of one cluster, or of two clusters that share a name). Without a
 * back-off, the two would undo each other's writes as fast as they can. Kept in memory only.
 */
export class Contests {
  readonly #taken = new Map<string, { readonly at: number; readonly count: number }>();
  readonly #written = new Map<string, { readonly at: number; readonly level: number }>();

  /**
   * Until when this agent leaves an applied work to the agent that took it over. `takenAt`: when this agent last wrote its own id to it.
   * The first wait is short: an agent that is being replaced may write once more before it ends.
   */
  leftUntil(record: string, takenAt: number): number {
    const before = this.#taken.get(record);
    const isRecent = before !== undefined && takenAt - before.at < FORGOTTEN_AFTER_MS;
    const count = before?.at === takenAt ? before.count : isRecent ? before.count + 1 : 0;
    this.#taken.set(record, { at: takenAt, count });
    return takenAt + backoffMs(count + 1, LEFT_FOR);
  }

  /**
   * When the agent may write the list of an applied work next. `writtenAt`: when it last did. After a burst of writes the agent must wait
   * between them.
   */
  listFrom(record: string, writtenAt: number): number {
    const before = this.#written.get(record);
    const level =
      before?.at === writtenAt
        ? before.level
        : 1 + (before ? Math.max(0, before.level - (writtenAt - before.at) / LIST_WRITES.refillMs) : 0);
    this.#written.set(record, { at: writtenAt, level });
    return writtenAt + Math.max(0, level - LIST_WRITES.burst) * LIST_WRITES.refillMs;
  }

  forget(record: string): void {
    this.#taken.delete(record);
    this.#written.delete(record);
  }
}

const LEFT_FOR = { baseMs: 10_000, maxMs: 300_000 } as const;
const FORGOTTEN_AFTER_MS = 3_600_000;
const LIST_WRITES = { burst: 20, refillMs: 5_000 } as const;
