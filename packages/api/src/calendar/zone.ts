import { daysSinceEpoch } from '@outrigger/core';

/** Wall clocks of IANA time zones. Wall-clock times are in milliseconds, as if the wall clock showed UTC. */

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
const MAX_OFFSETS = 10_000;

/** Converts between instants and the wall-clock times of one zone. */
export interface Zone {
  readonly name: string;
  /** Returns the wall-clock time at an instant. */
  wallAt(instant: number): number;
  /**
   * Returns the instant at which the wall clock shows this time. If the clock shows it twice, this is the first instant; if the clock skips
   * it, this is the next instant that exists.
   */
  instantAt(wall: number): number;
}

const zones = new Map<string, Zone | undefined>();
/**
 * The maximum number of cached zones, which is above the number of existing zones. The limit is needed because the names of zones come from
 * annotations of clusters, which may have any value.
 */
const MAX_ZONES = 1000;

/** Returns the zone with this IANA name, or undefined if the name is unknown. */
export function zoneOf(name: string): Zone | undefined {
  if (zones.size >= MAX_ZONES && !zones.has(name)) zones.clear();
  if (!zones.has(name)) zones.set(name, createZone(name));
  return zones.get(name);
}

function createZone(name: string): Zone | undefined {
  // Fixed offsets such as +02:00 are not IANA names, although some JavaScript engines accept them.
  if (!/^[A-Za-z]/.test(name)) return undefined;
  const format = formatOf(name);
  if (!format) return undefined;
  const readWall = (instant: number): number => {
    // The formatted text looks like `1/31/2026, 13:05:00`. Reading the parts from `formatToParts` would take almost three times as long.
    const [month = 1, day = 1, year = 0, hour = 0, minute = 0, second = 0] = format.format(instant).split(/\D+/).map(Number);
    return daysSinceEpoch({ year, month, day }) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000;
  };
  // Offsets are cached per quarter of an hour, because an offset changes only at the start of a quarter.
  const offsets = new Map<number, number>();
  const offsetAt = (instant: number): number => {
    const quarter = Math.floor(instant / QUARTER_MS);
    let offset = offsets.get(quarter);
    if (offset === undefined) {
      if (offsets.size >= MAX_OFFSETS) offsets.clear();
      offset = readWall(quarter * QUARTER_MS) - quarter * QUARTER_MS;
      offsets.set(quarter, offset);
    }
    return offset;
  };
  const wallAt = (instant: number): number => instant + offsetAt(instant);
  const instantAt = (wall: number): number => {
    const before = offsetAt(wall - DAY_MS);
    const after = offsetAt(wall + DAY_MS);
    const early = wall - Math.max(before, after);
    const late = wall - Math.min(before, after);
    const found = [early, late].find((instant) => wallAt(instant) === wall);
    if (found !== undefined) return found;
    // The clock skips this time, so the offset changes between `early` and `late`. Return the instant of the change.
    let low = early;
    while (offsetAt(low) === before) low = (Math.floor(low / QUARTER_MS) + 1) * QUARTER_MS;
    return low;
  };
  return { name, wallAt, instantAt };
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
