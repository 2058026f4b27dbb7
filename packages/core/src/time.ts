/**
 * Functions that convert given times. None of them reads the current time. Lint allows `Date` in this file without a reason, and elsewhere
 * only in adapters, the CLI and tests.
 */

/** The last formatted second and its text. Cached because most formatted times are in the same second as the time before. */
let lastFormatted = { second: Number.NaN, text: '' };

/** Formats a time in RFC 3339 with whole seconds, as Kubernetes writes `metav1.Time`. */
export function toTime(epochMs: number): string {
  const second = Math.floor(epochMs / 1000);
  if (second !== lastFormatted.second) {
    lastFormatted = { second, text: new Date(second * 1000).toISOString().replace('.000Z', 'Z') };
  }
  return lastFormatted.text;
}

/**
 * Rounds the end of a wait up to whole seconds, so that the wait is never shorter than requested if its end is stored as a Kubernetes time.
 */
export function roundUpToSecond(epochMs: number): number {
  return Math.ceil(epochMs / 1000) * 1000;
}

/**
 * The maximum number of milliseconds between the stored time of an event and the event itself, because stored times are rounded down to
 * whole seconds. A wait that starts at a stored time counts from the latest possible instant, so that the wait is never shorter than
 * requested.
 */
export const TIME_ROUNDING_MS = 999;

/** Formats a time in RFC 3339 with microseconds, as Kubernetes writes `metav1.MicroTime` (leases). */
export function toMicroTime(epochMs: number): string {
  return new Date(Math.floor(epochMs)).toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');
}

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** A cache of parsed times: milliseconds since the epoch, keyed by the text of the time. Passes read the same times again and again. */
const parsed = new Map<string, number>();
const MOST_PARSED = 10_000;
/** Texts longer than this are not cached, so that the memory of the cache is bounded. */
const LONGEST_PARSED = 40;

/** Returns the milliseconds since the epoch, or undefined if the text is not an RFC 3339 time. */
export function parseTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const ms = parse(text);
  if (ms === undefined || text.length > LONGEST_PARSED) return ms;
  if (parsed.size >= MOST_PARSED) parsed.clear();
  parsed.set(text, ms);
  return ms;
}

function parse(text: string): number | undefined {
  const match = RFC_3339.exec(text);
  if (match === null || !isDay(Number(match[1]), Number(match[2]), Number(match[3]))) return undefined;
  const ms = Date.parse(match[0]);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Whether the day exists. `Date.parse` does not check this: it reads the 30th of February as a day in March. */
function isDay(year: number, month: number, day: number): boolean {
  return day <= 28 || day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

const DAY_MS = 86_400_000;

/** A day in the proleptic Gregorian calendar. `weekday` counts from 0, which is Sunday. */
export interface CalendarDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
}

/** Returns the calendar day that is `days` days after 1970-01-01. */
export function calendarDay(days: number): CalendarDay {
  const date = new Date(days * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate(), weekday: date.getUTCDay() };
}

/** Returns the number of days from 1970-01-01 to a calendar day. */
export function daysSinceEpoch({ year, month, day }: Omit<CalendarDay, 'weekday'>): number {
  return Date.UTC(year, month - 1, day) / DAY_MS;
}
