import type { Clock, Transport } from '@outrigger/core';

/** Windows are closed while the clock of the manager is further off the API server's than this. */
const TOLERANCE_MS = 30_000;

/**
 * Compares the clock of this process with the `Date` of the API server's answers: no request is made for it. A server in the same process
 * sends no `Date` and shares the clock.
 */
export class ServerClock {
  readonly #clock: Clock;
  #offByMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The transport, observed. */
  observe(transport: Transport): Transport {
    return {
      ...transport,
      send: async (request, signal) => {
        const sentAt = this.#clock.now();
        const answer = await transport.send(request, signal);
        this.#note(answer.headers['date'], sentAt, this.#clock.now());
        return answer;
      },
    };
  }

  readonly isTrusted = (): boolean => this.#offByMs <= TOLERANCE_MS;

  /** The server wrote its time, in whole seconds, between the request and the answer. */
  #note(date: string | undefined, sentAt: number, receivedAt: number): void {
    const time = date === undefined ? Number.NaN : Date.parse(date);
    if (Number.isNaN(time)) return;
    this.#offByMs = Math.max(0, sentAt - (time + 1000), time - receivedAt);
  }
}
