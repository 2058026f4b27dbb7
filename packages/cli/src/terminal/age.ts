import { parseTime } from '@outrigger/core';

const UNITS = [
  { ms: 86_400_000, name: 'd' },
  { ms: 3_600_000, name: 'h' },
  { ms: 60_000, name: 'm' },
  { ms: 1_000, name: 's' },
] as const;

/**
 * Returns the time since a timestamp in kubectl's format: the largest unit, plus the next smaller unit if the count of the first is below
 * ten.
 */
export function age(timestamp: string | undefined, nowMs: number): string | undefined {
  const at = parseTime(timestamp);
  if (at === undefined) return undefined;
  return span(Math.max(0, nowMs - at));
}

export function span(ms: number): string {
  const index = UNITS.findIndex((unit) => ms >= unit.ms);
  const unit = UNITS[index];
  if (!unit) return '0s';
  const count = Math.floor(ms / unit.ms);
  const smaller = UNITS[index + 1];
  const rest = smaller && count < 10 ? Math.floor((ms % unit.ms) / smaller.ms) : 0;
  return rest > 0 && smaller ? `${count}${unit.name}${rest}${smaller.name}` : `${count}${unit.name}`;
}
