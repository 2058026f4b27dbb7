import type { Runtime } from '@outrigger/core';
import type { Manager } from '@outrigger/kube';

export interface Rest {
  readonly manager: () => Pick<Manager, 'isSettled' | 'nextPassInMs'>;
  /** The time within which no pass may be due. */
  readonly restMs: number;
  /** Returns a value that changes with every request or pass that the test counts. */
  readonly activity?: () => number | string;
  /**
   * The number of consecutive checks, 20 ms apart, without any activity. Watch events and stand-in agents need turns of the event loop.
   * With a server in another process they need longer.
   */
  readonly looks?: number;
}

/** The number of checks for a manager whose server is another process. */
export const LOOKS_OVER_SOCKETS = 25;

/**
 * Resolves when a manager is at rest. On a busy machine the absence of activity is not enough: the manager must also have processed all
 * events that it received, and its queues must have nothing due within `restMs`.
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
