import { BoundedCache } from '../memo/bounded-cache.js';
import { parseDurationNanos } from '../duration.js';
import { CelEvaluationError, shown } from './errors.js';

const NANOS_PER_SECOND = 1_000_000_000n;
const NANOS_PER_DAY = 86_400n * NANOS_PER_SECOND;
const MIN_TIMESTAMP = -62_135_596_800n * NANOS_PER_SECOND;
const MAX_TIMESTAMP = 253_402_300_800n * NANOS_PER_SECOND - 1n;
const MAX_DURATION = 2n ** 63n - 1n;
/** A timestamp: nanoseconds since the epoch, between the years 1 and 9999. */
export class CelTimestamp {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    if (nanos < MIN_TIMESTAMP || nanos > MAX_TIMESTAMP) throw new CelEvaluationError('timestamp overflow');
    this.nanos = nanos;
  }
  toString(): string {
    const { year, month, day } = civilFromDays(floorDiv(this.nanos, NANOS_PER_DAY));
    const inDay = floorMod(this.nanos, NANOS_PER_DAY);
    const [h, m, s] = [inDay / (3600n * NANOS_PER_SECOND), (inDay / (60n * NANOS_PER_SECOND)) % 60n, (inDay / NANOS_PER_SECOND) % 60n];
    const fraction = (inDay % NANOS_PER_SECOND).toString().padStart(9, '0').replace(/0+$/, '');
    return `${pad(year, 4)}-${pad(month)}-${pad(day)}T${pad(h)}:${pad(m)}:${pad(s)}${fraction === '' ? '' : `.${fraction}`}Z`;
  }
}

/** A duration: signed nanoseconds in 64 bits, as in Go. */
export class CelDuration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    if (nanos < -MAX_DURATION || nanos > MAX_DURATION) throw new CelEvaluationError('duration overflow');
    this.nanos = nanos;
  }
  /** Returns the duration in seconds, as CEL and protobuf JSON write it: `1.5s`. */
  toString(): string {
    const absolute = this.nanos < 0n ? -this.nanos : this.nanos;
    const fraction = (absolute % NANOS_PER_SECOND).toString().padStart(9, '0').replace(/0+$/, '');
    return `${this.nanos < 0n ? '-' : ''}${absolute / NANOS_PER_SECOND}${fraction === '' ? '' : `.${fraction}`}s`;
  }
}

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

export function parseTimestamp(text: string): CelTimestamp {
  const match = RFC3339.exec(text);
  if (match === null) throw new CelEvaluationError(`timestamp() cannot read ${shown(text)}: RFC 3339 is needed`);
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [number, number, number, number, number, number];
  const inRange = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month) && hour < 24 && minute < 60 && second < 60;
  if (!inRange) throw new CelEvaluationError(`timestamp() cannot read ${shown(text)}: a part is out of range`);
  const fraction = BigInt((match[7] ?? '').padEnd(9, '0'));
  const offsetMinutes = (match[8] === '-' ? -1 : 1) * (Number(match[9] ?? 0) * 60 + Number(match[10] ?? 0));
  const seconds = daysFromCivil(year, month, day) * 86_400n + BigInt(hour * 3600 + minute * 60 + second - offsetMinutes * 60);
  return new CelTimestamp(seconds * NANOS_PER_SECOND + fraction);
}

export function timestampFromSeconds(seconds: bigint): CelTimestamp {
  return new CelTimestamp(seconds * NANOS_PER_SECOND);
}

/** Parses Go's notation: `1h30m`, `-1.5s`, `300ms`. */
export function parseGoDuration(text: string): CelDuration {
  try {
    return new CelDuration(parseDurationNanos(text));
  } catch (error) {
    throw new CelEvaluationError(`duration() cannot read ${shown(text)}`, { cause: error });
  }
}

export interface CalendarParts {
  readonly year: bigint;
  /** The month, counted from 0 as in CEL. */
  readonly month: bigint;
  readonly dayOfMonth: bigint;
  readonly dayOfYear: bigint;
  /** The day of the week, with Sunday as 0. */
  readonly dayOfWeek: bigint;
  readonly hours: bigint;
  readonly minutes: bigint;
  readonly seconds: bigint;
  readonly milliseconds: bigint;
}

/** Returns the calendar parts of an instant, in UTC or in a zone (`+02:00`, `Europe/Berlin`). */
export function calendarParts(timestamp: CelTimestamp, zone = 'UTC'): CalendarParts {
  const local = timestamp.nanos + offsetNanos(timestamp, zone);
  const days = floorDiv(local, NANOS_PER_DAY);
  const inDay = floorMod(local, NANOS_PER_DAY);
  const { year, month, day } = civilFromDays(days);
  return {
    year,
    month: month - 1n,
    dayOfMonth: day - 1n,
    dayOfYear: days - daysFromCivil(Number(year), 1, 1),
    dayOfWeek: floorMod(days + 4n, 7n),
    hours: inDay / (3600n * NANOS_PER_SECOND),
    minutes: (inDay / (60n * NANOS_PER_SECOND)) % 60n,
    seconds: (inDay / NANOS_PER_SECOND) % 60n,
    milliseconds: (inDay / 1_000_000n) % 1000n,
  };
}

function offsetNanos(timestamp: CelTimestamp, zone: string): bigint {
  if (zone === 'UTC' || zone === '') return 0n;
  const [, sign, hours, minutes] = /^([-+]?)(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (hours !== undefined) return (sign === '-' ? -1n : 1n) * BigInt(Number(hours) * 60 + Number(minutes)) * 60n * NANOS_PER_SECOND;
  const epochMs = Number(floorDiv(timestamp.nanos, 1_000_000n));
  try {
    const name =
      formatOf(zone)
        .formatToParts(epochMs)
        .find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
    return name === 'GMT' ? 0n : offsetNanos(timestamp, name.slice('GMT'.length));
  } catch (error) {
    throw new CelEvaluationError(`unknown time zone ${shown(zone)}`, { cause: error });
  }
}

/**
 * The maximum number of cached formatters, one per zone. Formatters are cached because creating one takes as long as using it thousands of
 * times.
 */
const MAX_FORMATS = 50;
const formats = new BoundedCache<Intl.DateTimeFormat>({ limit: MAX_FORMATS });

function formatOf(zone: string): Intl.DateTimeFormat {
  return formats.get(zone, () => new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }));
}

/** Returns the days from the epoch to a date in the Gregorian calendar. Any year is allowed. */
function daysFromCivil(year: number, month: number, day: number): bigint {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return BigInt(era * 146_097 + dayOfEra - 719_468);
}

function civilFromDays(daysSinceEpoch: bigint): { year: bigint; month: bigint; day: bigint } {
  const shifted = Number(daysSinceEpoch) + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  return { year: BigInt(yearOfEra + era * 400 + (month <= 2 ? 1 : 0)), month: BigInt(month), day: BigInt(day) };
}

function daysInMonth(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
}

function floorDiv(a: bigint, b: bigint): bigint {
  return (a - floorMod(a, b)) / b;
}

function floorMod(a: bigint, b: bigint): bigint {
  return ((a % b) + b) % b;
}

function pad(value: bigint | number, width = 2): string {
  return value.toString().padStart(width, '0');
}
