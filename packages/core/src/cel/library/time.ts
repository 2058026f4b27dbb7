import type { Budget } from '../budget.js';
import { type CelFunction, defineMember } from '../functions.js';
import { type CalendarParts, type CelDuration, type CelTimestamp, calendarParts } from '../time.js';
import { DURATION, INT, STRING, TIMESTAMP } from '../types.js';

/** The cost of a named zone, because a zone that is not cached is looked up in the engine's tables. */
const NAMED_ZONE_COST = 500;

const PARTS: readonly [name: string, part: (parts: CalendarParts) => bigint][] = [
  ['getFullYear', ({ year }) => year],
  ['getMonth', ({ month }) => month],
  ['getDate', ({ dayOfMonth }) => dayOfMonth + 1n],
  ['getDayOfMonth', ({ dayOfMonth }) => dayOfMonth],
  ['getDayOfYear', ({ dayOfYear }) => dayOfYear],
  ['getDayOfWeek', ({ dayOfWeek }) => dayOfWeek],
  ['getHours', ({ hours }) => hours],
  ['getMinutes', ({ minutes }) => minutes],
  ['getSeconds', ({ seconds }) => seconds],
  ['getMilliseconds', ({ milliseconds }) => milliseconds],
];

const DURATION_PARTS: readonly [name: string, nanos: bigint, modulus?: bigint][] = [
  ['getHours', 3_600_000_000_000n],
  ['getMinutes', 60_000_000_000n],
  ['getSeconds', 1_000_000_000n],
  ['getMilliseconds', 1_000_000n, 1000n],
];

/** The functions for the parts of a timestamp, in UTC or a named zone, and for the length of a duration. */
export const TIME: readonly CelFunction[] = [
  ...PARTS.flatMap(([name, part]) => [
    defineMember(name, [TIMESTAMP], INT, (time: CelTimestamp) => part(calendarParts(time))),
    defineMember(name, [TIMESTAMP, STRING], INT, (time: CelTimestamp, zone: string, budget: Budget) => {
      budget.charge(NAMED_ZONE_COST);
      return part(calendarParts(time, zone));
    }),
  ]),
  ...DURATION_PARTS.map(([name, nanos, modulus]) =>
    defineMember(name, [DURATION], INT, (duration: CelDuration) =>
      modulus === undefined ? duration.nanos / nanos : (duration.nanos / nanos) % modulus,
    ),
  ),
];
