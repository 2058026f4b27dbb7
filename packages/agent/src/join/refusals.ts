import type { Clock, Transport } from '@outrigger/core';

/** One refusal may be a hub that is just starting; refused again after this long, it means us. */
const PATIENCE_MS = 15_000;

/** Whether the hub goes on answering 401: then the certificate is no longer worth anything there, whatever it says about itself. */
export class Refusals {
  readonly #clock: Clock;
  #since: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes an answer, and returns whether the hub is to be believed. Any other answer makes good again. */
  isFinal(status: number): boolean {
    if (status !== 401) {
      this.#since = undefined;
      return false;
    }
    this.#since ??= this.#clock.monotonic();
    return this.#clock.monotonic() - this.#since >= PATIENCE_MS;
  }
}

/** The same transport, telling when the hub has refused for good. */
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
