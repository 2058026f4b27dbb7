/** This is the only file that uses `Date`. It converts given instants and never reads the current time. */

/** Formats a time in RFC 3339 with whole seconds, as Kubernetes writes `metav1.Time`. */
export function toTime(epochMs: number): string {
  return new Date(Math.floor(epochMs / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}

/** Formats a time in RFC 3339 with microseconds, as Kubernetes writes `metav1.MicroTime` (leases). */
export function toMicroTime(epochMs: number): string {
  return new Date(Math.floor(epochMs)).toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');
}

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** Returns the milliseconds since the epoch, or undefined if the text is not an RFC 3339 time. */
export function parseTime(text: string | undefined): number | undefined {
  const match = RFC_3339.exec(text ?? '');
  if (match === null || !isDay(Number(match[1]), Number(match[2]), Number(match[3]))) return undefined;
  const ms = Date.parse(match[0]);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Whether the day exists. This is checked because `Date.parse` reads the 30th of February as a day in March. */
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
