import { clean } from '../terminal/clean.js';

const SHOWN_NAMES = 3;

/** Lists the first names and the number of further ones. */
export function namesText(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_NAMES).map(clean).join(', ');
  return names.length > SHOWN_NAMES ? `${shown} and ${names.length - SHOWN_NAMES} more` : shown;
}

/** Formats seconds as `45 s`, `12 min`, `2 h 10 min` or `3 d 4 h`. */
export function elapsed(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 100) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 100) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}

/** Returns the unit of the last number that `elapsed` prints for this time, in seconds. */
function unitOf(seconds: number): number {
  if (seconds < 100) return 1;
  return seconds < 48 * 3600 ? 60 : 3600;
}

/**
 * Formats a period from one elapsed time to another. If the period is shorter than the unit in which its end is printed, the start and the
 * length are printed instead, such as `from 15 h 49 min for 45 s`.
 */
export function period(from: number, to: number): string {
  const [start, end] = [Math.round(from), Math.round(to)];
  if (end <= start) return `at ${elapsed(start)}`;
  return end - start < unitOf(end) ? `from ${elapsed(start)} for ${elapsed(end - start)}` : `from ${elapsed(start)} to ${elapsed(end)}`;
}
