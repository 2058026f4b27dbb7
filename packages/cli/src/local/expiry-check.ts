import { type Runtime, errorMessage } from '@outrigger/core';

/**
 * The interval in milliseconds between checks of the certificate. The interval is short, because timers do not advance while the machine
 * sleeps, and the certificate must be checked soon after the machine wakes.
 */
const CHECK_MS = 60_000;
/**
 * The minimum time in milliseconds between two new tokens. A new token makes the previous one invalid, so the agent needs time to use each
 * token.
 */
const BETWEEN_TOKENS_MS = 10 * 60_000;

/**
 * Calls `joinAgain` once per minute, except in the ten minutes after a new token. `joinAgain` creates a new token if the certificate has
 * expired, and returns whether it has. `hasNewToken` says whether the agent starts with a new token. The returned function stops the checks
 * and waits for a check that is in progress.
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
