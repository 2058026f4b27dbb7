import type { Fence } from './fence.js';

export interface LeaderListener {
  leading(): void;
  /** Called once per term, as soon as leadership is no longer certain. */
  lost(reason: string): void;
}

/** Takes part in an election and reports when this process leads. `check` (see Fence) is called before every write. */
export interface Leader extends Fence {
  readonly isLeading: boolean;
  /** The name of the current term, unique across processes and terms. Undefined while this process does not lead. */
  readonly term: string | undefined;
  /** The maximum duration of a write. A write that a leader has sent must have ended before another replica can lead. */
  readonly writeTimeoutMs: number;
  start(listener: LeaderListener): void;
  /** Releases the lease, so that another replica need not wait for it to expire. */
  stop(): Promise<void>;
}
