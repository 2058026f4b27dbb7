import { calendarDay } from '@outrigger/core';

/**
 * Five-field cron schedules on a wall clock: minute, hour, day of month, month, day of week. As in cron, if both the day of month and the
 * day of week are restricted, a day matches if either does. Schedules have no time zone; `zone.ts` maps wall-clock times to instants.
 */

/** A parsed schedule: the matching values of each field. */
export interface CronSchedule {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly daysOfWeek: ReadonlySet<number>;
  /** Whether a match of either day field is enough, because both the day of month and the day of week are restricted. */
  readonly isEitherDay: boolean;
}

export type ParsedCron = { readonly schedule: CronSchedule } | { readonly problem: string };

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of week', min: 0, max: 7, names: DAYS },
] as const satisfies readonly Field[];

// The number of years to search. The longest gap between two starts of a schedule is 40 years: `0 0 29 2 */7` matches leap days that are
// Sundays, such as those of 2088 and 2128, because a step over all days of the week does not restrict the day on its own.
const YEARS_AHEAD = 41;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Parses a schedule. Error messages name the invalid field and the accepted values. */
export function parseCron(text: string): ParsedCron {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) {
    return { problem: `"${text}" has ${parts.length} fields; a schedule has five: minute, hour, day of month, month, day of week` };
  }
  const values: (readonly number[])[] = [];
  for (const [i, field] of FIELDS.entries()) {
    const parsed = parseField(parts[i] ?? '', field);
    if (typeof parsed === 'string') return { problem: parsed };
    values.push(parsed);
  }
  const [minutes = [], hours = [], daysOfMonth = [], months = [], weekdays = []] = values;
  const schedule: CronSchedule = {
    minutes,
    hours,
    daysOfMonth: new Set(daysOfMonth),
    months: new Set(months),
    daysOfWeek: new Set(weekdays.map((day) => day % 7)),
    isEitherDay: !parts[2]?.startsWith('*') && !parts[4]?.startsWith('*'),
  };
  if (!everFires(schedule)) return { problem: `"${text}" never fires: no month it names has that day` };
  return { schedule };
}

function parseField(text: string, field: Field): readonly number[] | string {
  const found = new Set<number>();
  for (const item of text.split(',')) {
    const range = parseRange(item, field);
    if (typeof range === 'string') return range;
    for (let value = range.from; value <= range.to; value += range.step) found.add(value);
  }
  return [...found].sort((a, b) => a - b);
}

function parseRange(item: string, field: Field): { readonly from: number; readonly to: number; readonly step: number } | string {
  const wrong = `${field.name} "${item}": use *, a value from ${field.min} to ${field.max}, a range a-b, a step */n or a-b/n, or a list of these`;
  const [range = '', stepText, ...more] = item.split('/');
  const step = stepText === undefined ? 1 : /^\d+$/.test(stepText) ? Number(stepText) : 0;
  if (more.length > 0 || step < 1 || step > field.max) return wrong;
  if (range === '*') return { from: field.min, to: field.max, step };
  const [first = '', last, ...rest] = range.split('-');
  const from = valueOf(first, field);
  const to = last === undefined ? from : valueOf(last, field);
  if (rest.length > 0 || from === undefined || to === undefined || from > to) return wrong;
  if (stepText !== undefined && last === undefined) return wrong;
  return { from, to, step };
}

function valueOf(text: string, { min, max, names }: Field): number | undefined {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + min;
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

function everFires({ daysOfMonth, months, daysOfWeek, isEitherDay }: CronSchedule): boolean {
  if (isEitherDay && daysOfWeek.size > 0) return true;
  const longest = (month: number): number => (month === 2 ? 29 : [4, 6, 9, 11].includes(month) ? 30 : 31);
  return [...months].some((month) => [...daysOfMonth].some((day) => day <= longest(month)));
}

/** Whether the schedule matches the day of a wall-clock time. The time is in milliseconds, as if the wall clock showed UTC. */
function matchesDay(schedule: CronSchedule, wall: number): boolean {
  const { month, day, weekday } = calendarDay(Math.floor(wall / DAY_MS));
  if (!schedule.months.has(month)) return false;
  const isDay = schedule.daysOfMonth.has(day);
  const isWeekday = schedule.daysOfWeek.has(weekday);
  return schedule.isEitherDay ? isDay || isWeekday : isDay && isWeekday;
}

/** Yields the wall-clock times at which a schedule starts, ascending from `wall` or descending from it. Ends after `YEARS_AHEAD`. */
export function* startsFrom(schedule: CronSchedule, wall: number, direction: 'forward' | 'backward'): Generator<number, void> {
  const sign = direction === 'forward' ? 1 : -1;
  const isPast = (start: number): boolean => (start - wall) * sign < 0;
  const order = <T>(values: readonly T[]): readonly T[] => (sign === 1 ? values : values.toReversed());
  const hours = order(schedule.hours);
  const minutes = order(schedule.minutes);
  const firstDay = Math.floor(wall / DAY_MS) * DAY_MS;
  for (let days = 0; days <= YEARS_AHEAD * 366; days++) {
    const day = firstDay + sign * days * DAY_MS;
    if (!matchesDay(schedule, day)) continue;
    for (const hour of hours) {
      const hourStart = day + hour * 60 * MINUTE_MS;
      if (isPast(sign === 1 ? hourStart + 59 * MINUTE_MS : hourStart)) continue;
      for (const minute of minutes) {
        const start = hourStart + minute * MINUTE_MS;
        if (!isPast(start)) yield start;
      }
    }
  }
}
