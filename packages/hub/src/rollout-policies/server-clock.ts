import { type Clock, type Transport, daysSinceEpoch } from '@outrigger/core';

/** Windows count as closed while the manager's clock differs from the API server's by more than this. */
const TOLERANCE_MS = 30_000;

/** The bounds of the difference between the clocks in milliseconds: the manager's time minus the API server's time. */
interface Offset {
  readonly least: number;
  readonly most: number;
}

/**
 * Compares the clock of this process with the `Date` header in the API server's responses, without additional requests. A server in the
 * same process sends no `Date`, because it shares the clock.
 *
 * A header has whole seconds, and its response may have taken long, so one response gives wide bounds for the difference of the clocks. All
 * responses together give narrow bounds. If a response contradicts the earlier ones, one of the clocks was set, and only the bounds of that
 * response count.
 */
export class ServerClock {
  readonly #clock: Clock;
  #offset: Offset = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };

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

  readonly isTrusted = (): boolean => this.#offset.least <= TOLERANCE_MS && this.#offset.most >= -TOLERANCE_MS;

  /** Compares the clocks, given that the server's time, in whole seconds, was taken between `sentAt` and `receivedAt`. */
  #note(date: string | undefined, sentAt: number, receivedAt: number): void {
    const time = parseHttpDate(date ?? '');
    if (time === undefined) return;
    const found = { least: sentAt - (time + 1000), most: receivedAt - time };
    const both = { least: Math.max(found.least, this.#offset.least), most: Math.min(found.most, this.#offset.most) };
    this.#offset = both.least <= both.most ? both : found;
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
