import type { Clock, Transport } from '@outrigger/core';

/**
 * A hub that is starting may respond with 401. A rejection is therefore final only after the hub has responded with nothing but 401 for
 * this time.
 */
const PATIENCE_MS = 15_000;

/** Detects that the hub no longer accepts the certificate, even if it has not expired: the hub responds with 401 for some time. */
export class Refusals {
  readonly #clock: Clock;
  #since: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records a response. Returns whether the rejection is final. Any response other than 401 resets the state. */
  isFinal(status: number): boolean {
    if (status !== 401) {
      this.#since = undefined;
      return false;
    }
    this.#since ??= this.#clock.monotonic();
    return this.#clock.monotonic() - this.#since >= PATIENCE_MS;
  }
}

/** Wraps a transport so that `refused` is called once the rejection is final. */
export function reportingRefusals(transport: Transport, refusals: Refusals, refused: () => void): Transport {
  return {
    async send(request, signal) {
      const response = await transport.send(request, signal);
      if (refusals.isFinal(response.status)) refused();
      return response;
    },
    close: () => transport.close(),
  };
}
