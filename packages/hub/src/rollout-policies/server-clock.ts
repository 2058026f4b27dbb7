import { type Clock, type Transport, daysSinceEpoch } from '@outrigger/core';

/** Windows count as closed while the manager's clock differs from the API server's by more than this. */
const TOLERANCE_MS = 30_000;

/**
 * Compares the clock of this process with the `Date` header in the API server's responses, without additional requests. A server in the
 * same process sends no `Date`, because it shares the clock.
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

  /** Compares the clocks, given that the server's time, in whole seconds, was taken between `sentAt` and `receivedAt`. */
  #note(date: string | undefined, sentAt: number, receivedAt: number): void {
    const time = parseHttpDate(date ?? '');
    if (time === undefined) return;
    this.#offByMs = Math.max(0, sentAt - (time + 1000), time - receivedAt);
  }
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const HTTP_DATE = /^[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/;

/** The time of a `Date` header (`Mon, 16 Nov 2026 05:00:00 GMT`); undefined if the text is not a valid date. */
function parseHttpDate(text: string): number | undefined {
  const [, day, monthName = '', year, hour, minute, second] = HTTP_DATE.exec(text) ?? [];
  const month = MONTHS.indexOf(monthName) + 1;
  if (month === 0) return undefined;
  const days = daysSinceEpoch({ year: Number(year), month, day: Number(day) });
  return (((days * 24 + Number(hour)) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
}
