import { type Runtime, errorMessage } from '@outrigger/core';

/**
 * The interval between checks of the certificate. It is short, because timers do not advance while the machine sleeps, and the certificate
 * must be checked soon after the machine wakes.
 */
const CHECK_MS = 60_000;
/** The minimum time between two new tokens. A new token makes the previous one invalid, so the agent gets this time to use each. */
const BETWEEN_TOKENS_MS = 10 * 60_000;

/**
 * Calls `joinAgain` once per minute, except in the ten minutes after a new token, until the returned function is called, which waits for a
 * call that is in progress. `joinAgain` returns whether it created a new token, which it does if the certificate has expired. `hasNewToken`
 * says whether the agent starts with a new token.
 */
export function repeatExpiryCheck(
  { clock, timers, log }: Pick<Runtime, 'clock' | 'timers' | 'log'>,
  joinAgain: () => Promise<boolean>,
  hasNewToken: boolean,
): () => Promise<void> {
  let tokenAt = hasNewToken ? clock.monotonic() : -Infinity;
  let checking = Promise.resolve();
  const check = async (): Promise<void> => {
    if (clock.monotonic() - tokenAt < BETWEEN_TOKENS_MS) return;
    if (await joinAgain()) tokenAt = clock.monotonic();
  };
  const plan = (): (() => void) =>
    timers.after(CHECK_MS, () => {
      checking = checking.then(check).catch((error: unknown) => {
        log.warn({ error: errorMessage(error) }, 'the certificate of a simulated cluster could not be checked');
      });
      cancel = plan();
    });
  let cancel = plan();
  return () => {
    cancel();
    return checking;
  };
}
