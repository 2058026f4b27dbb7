// Formats times for users: short and relative, with the exact time in the reader's zone on hover.
import { parseTime } from '@outrigger/core';
import { nowMs } from '../adapters/clock.js';

const UNITS = [
  { seconds: 86_400, name: 'd' },
  { seconds: 3_600, name: 'h' },
  { seconds: 60, name: 'min' },
  { seconds: 1, name: 's' },
] as const;

/** Formats a duration in its largest unit, or in its two largest units if the first count is small: `3 h 20 min`, `14 min`, `2 d`. */
export function formatLength(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  const index = Math.max(
    0,
    UNITS.findIndex((unit) => seconds >= unit.seconds),
  );
  if (seconds === 0) return '0 s';
  const unit = UNITS[index] ?? UNITS[3];
  const count = Math.floor(seconds / unit.seconds);
  const next = UNITS[index + 1];
  const rest = next === undefined ? 0 : Math.floor((seconds % unit.seconds) / next.seconds);
  return next !== undefined && count < 10 && unit.seconds >= 3_600 && rest > 0
    ? `${count} ${unit.name} ${rest} ${next.name}`
    : `${count} ${unit.name}`;
}

export function formatAgo(atMs: number, currentMs: number): string {
  const length = currentMs - atMs;
  if (length < 0) return `in ${formatLength(-length)}`;
  return length < 1_000 ? 'now' : `${formatLength(length)} ago`;
}

/** Formats the exact time in the reader's zone, with the zone's name. */
export function formatExact(atMs: number, zone?: string): string {
  return new Intl.DateTimeFormat(undefined, {
    dateStyle: 'medium',
    timeStyle: 'long',
    ...(zone === undefined ? {} : { timeZone: zone }),
  }).format(atMs);
}

/** Formats an RFC 3339 time exactly, in the reader's zone. Returns the text itself if it is not valid. */
export function exactText(time: string): string {
  const atMs = parseTime(time);
  return atMs === undefined ? time : formatExact(atMs);
}

/** Formats the time of day in the reader's zone, with the date if it is not today's. */
export function formatClock(atMs: number, todayMs: number = nowMs(), isNarrow = false): string {
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'short' });
  const isToday = day.format(atMs) === day.format(todayMs);
  const dateStyle = isNarrow ? 'short' : 'medium';
  return new Intl.DateTimeFormat(undefined, isToday ? { timeStyle: 'medium' } : { dateStyle, timeStyle: 'short' }).format(atMs);
}

/** The milliseconds since the epoch of an RFC 3339 time; 0 if the text is invalid. */
export function msOf(time: string): number {
  return parseTime(time) ?? 0;
}
