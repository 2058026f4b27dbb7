import { clean } from '../terminal/clean.js';

const SHOWN_NAMES = 3;

export function clustersText(count: number): string {
  return count === 1 ? '1 cluster' : `${count} clusters`;
}

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
