import type { Runtime } from '@outrigger/core';
import type { Manager } from '@outrigger/kube';

export interface Rest {
  readonly manager: () => Pick<Manager, 'isSettled' | 'nextPassInMs'>;
  /** A manager has nothing to do only if no pass is due within this time. */
  readonly restMs: number;
  /** Returns a value that changes with every request or pass that the test counts. */
  readonly activity?: () => number | string;
  /**
   * The number of consecutive checks, 20 ms apart, that must find no activity. Between the checks, watch events arrive and stand-in agents
   * act. Both take longer if the server runs in another process.
   */
  readonly looks?: number;
}

/** The number of checks if the API server and the manager run in different processes. */
export const LOOKS_OVER_SOCKETS = 25;

/**
 * Resolves when a manager has nothing to do: it has processed all events that it received, no pass is due within `restMs`, and `activity`
 * no longer changes. On a busy machine, the absence of activity alone would not prove this.
 */
export async function atRest(
  { timers }: Pick<Runtime, 'timers'>,
  { manager, restMs, activity = () => 0, looks = 10 }: Rest,
): Promise<void> {
  let before = activity();
  for (let still = 0; still < looks; ) {
    await timers.sleep(20);
    const { isSettled, nextPassInMs = Number.POSITIVE_INFINITY } = manager();
    still = isSettled && nextPassInMs > restMs && activity() === before ? still + 1 : 0;
    before = activity();
  }
}
