import { type Selector, earliest } from '@outrigger/core';
import { type CronSchedule, type Zone, startsFrom } from '@outrigger/api';

/** Decides, from the Allow and Deny windows of rollout policies, when clusters may be admitted. */

export type Operation = 'Upgrade' | 'Install' | 'Remove';

/** The times at which a window is open: a schedule with a duration, or one period. */
export type WindowTimes =
  | { readonly type: 'Recurring'; readonly schedule: CronSchedule; readonly durationMs: number }
  | { readonly type: 'Once'; readonly from: Moment; readonly until: Moment };

/** An instant, or a wall-clock time of the time zone in which the window is evaluated. */
export type Moment = { readonly instant: number } | { readonly wall: number };

export interface Window {
  readonly name: string;
  readonly effect: 'Allow' | 'Deny';
  readonly times: WindowTimes;
  /** The clusters that the window applies to; undefined means all clusters. */
  readonly clusters?: Selector | undefined;
  readonly operations: readonly Operation[];
  /** The length, in milliseconds, of the last part of the window, in which no cluster is admitted. */
  readonly lastAdmissionMs: number;
  /** The time zone in which the window is evaluated for a cluster. */
  readonly zoneFor: (cluster: GatedCluster) => Zone;
}

export interface GatedCluster {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface PolicyWindows {
  readonly policy: string;
  readonly windows: readonly Window[];
}

/**
 * Whether a cluster may be admitted now, and the time at which this result may change. If the cluster may not be admitted, `heldBy` lists
 * the windows that hold it, and `opensAt` is the time at which they next allow its admission.
 */
export type WindowGate =
  | { readonly isOpen: true; readonly changesAt: number | undefined }
  | {
      readonly isOpen: false;
      readonly heldBy: readonly HoldingWindow[];
      readonly opensAt: number | undefined;
      /** The earliest time at which a holding window stops holding the cluster; undefined if the windows never allow an admission. */
      readonly changesAt: number | undefined;
    };

export interface HoldingWindow {
  readonly policy: string;
  readonly window: string;
}

/** Windows that are not open at the same time within this period are treated as never open at the same time. */
const HORIZON_MS = 2 * 366 * 86_400_000;
/** After this many overlapping starts a window is treated as open indefinitely. All starts of a day usually count as one. */
const MAX_OVERLAPS = 10_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The largest change of the UTC offset of a time zone. */
const MAX_OFFSET_CHANGE_MS = 3 * 3_600_000;
const MAX_STEPS = 5_000;

/**
 * Evaluates the windows of all policies for one cluster. An open Deny window prevents the admission. If Allow windows of a policy apply to
 * the cluster, one of them must be open. Policies and windows that do not apply to the cluster or the operation are ignored.
 */
export function windowGate(
  policies: readonly PolicyWindows[],
  cluster: GatedCluster,
  { operation, now }: { readonly operation: Operation; readonly now: number },
): WindowGate {
  const applying = policies.map(({ policy, windows }) => ({
    policy,
    windows: windows.filter((window) => applies(window, cluster, operation)),
  }));
  const states = stateReader(cluster);
  const first = holders(applying, states, now);
  if (first.length === 0) return { isOpen: true, changesAt: nextChange(applying, states, now) };
  const heldBy = first.flatMap(({ policy, windows }) => windows.map((window) => ({ policy, window })));
  const opensAt = nextOpening(applying, states, now);
  const changesAt = opensAt === undefined ? undefined : earliest(opensAt, ...first.map(({ endsAt }) => endsAt));
  return { isOpen: false, heldBy, opensAt, changesAt };
}

type StateReader = (window: Window, at: number) => WindowState;

/**
 * Returns a function that computes the states of windows at ascending times. Keeps a state until it changes, because a search visits
 * thousands of times, and it takes long to compute the end of a window that is open for months.
 */
function stateReader(cluster: GatedCluster): StateReader {
  const known = new Map<Window, WindowState>();
  return (window, at) => {
    const last = known.get(window);
    if (last && (last.changesAt === undefined || at < last.changesAt)) return last;
    const state = stateAt(window, cluster, at);
    known.set(window, state);
    return state;
  };
}

function nextChange(policies: readonly PolicyWindows[], states: StateReader, now: number): number | undefined {
  return earliest(...policies.flatMap(({ windows }) => windows.map((window) => states(window, now).changesAt)));
}

export function applies({ clusters, operations }: Window, { labels }: GatedCluster, operation: Operation): boolean {
  return operations.includes(operation) && (clusters === undefined || clusters.matches(labels));
}

interface Holder {
  readonly policy: string;
  readonly windows: readonly string[];
  /** The earliest instant at which this window may stop holding the cluster; undefined if it never does. */
  readonly endsAt: number | undefined;
}

function holders(policies: readonly PolicyWindows[], stateOf: StateReader, at: number): readonly Holder[] {
  return policies.flatMap(({ policy, windows }) => {
    const denying = windows
      .filter(({ effect }) => effect === 'Deny')
      .flatMap((window) => {
        const state = stateOf(window, at);
        return state.isOpen ? [{ policy, windows: [window.name], endsAt: state.changesAt }] : [];
      });
    const allowing = windows.filter(({ effect }) => effect === 'Allow');
    const states = allowing.map((window) => stateOf(window, at));
    if (allowing.length === 0 || states.some(({ isOpen }) => isOpen)) return denying;
    const endsAt = earliest(...states.map(({ changesAt }) => changesAt));
    return [...denying, { policy, windows: allowing.map(({ name }) => name), endsAt }];
  });
}

/**
 * Returns the first instant at which no window holds the cluster. Each window that holds the cluster does so until its `endsAt`, so the
 * search continues at the latest `endsAt` of these windows.
 */
function nextOpening(policies: readonly PolicyWindows[], states: StateReader, now: number): number | undefined {
  let at = now;
  for (let step = 0; step < MAX_STEPS && at - now <= HORIZON_MS; step++) {
    const found = holders(policies, states, at);
    if (found.length === 0) return at;
    if (found.some(({ endsAt }) => endsAt === undefined)) return undefined;
    at = Math.max(...found.map(({ endsAt = at }) => endsAt));
  }
  return undefined;
}

/** Whether a window is open, and the time at which this changes; undefined if it never changes. */
export interface WindowState {
  readonly isOpen: boolean;
  readonly changesAt: number | undefined;
}

/** The state of a window for a cluster. The last part of a window, in which no cluster is admitted, counts as closed. */
export function stateAt({ times, lastAdmissionMs, zoneFor }: Window, cluster: GatedCluster, at: number): WindowState {
  const zone = zoneFor(cluster);
  if (times.type === 'Once') {
    const [from, until] = [instantOf(times.from, zone), instantOf(times.until, zone) - lastAdmissionMs];
    if (at < from && from < until) return { isOpen: false, changesAt: from };
    return at >= from && at < until ? { isOpen: true, changesAt: until } : { isOpen: false, changesAt: undefined };
  }
  const started = lastStart(times.schedule, zone, at);
  if (started !== undefined && started + times.durationMs > at) {
    const end = closing(times, zone, started);
    if (end === undefined) return { isOpen: true, changesAt: undefined };
    if (end - lastAdmissionMs > at) return { isOpen: true, changesAt: end - lastAdmissionMs };
    return { isOpen: false, changesAt: nextStart(times.schedule, zone, end) };
  }
  return { isOpen: false, changesAt: nextStart(times.schedule, zone, at) };
}

/**
 * Returns the distance, in milliseconds, from the wall-clock time of this instant at which a search for starts must begin: 0, unless the
 * UTC offset of the zone changes nearby. If it were never 0, a search in a schedule with many starts would visit hundreds of them in each
 * of the thousands of steps to the next opening.
 */
function clockChangeNear(zone: Zone, at: number): number {
  const offset = zone.wallAt(at) - at;
  const isSame = [-MAX_OFFSET_CHANGE_MS, MAX_OFFSET_CHANGE_MS].every((ms) => zone.wallAt(at + ms) - (at + ms) === offset);
  return isSame ? 0 : MAX_OFFSET_CHANGE_MS;
}

function instantOf(moment: Moment, zone: Zone): number {
  return 'instant' in moment ? moment.instant : zone.instantAt(moment.wall);
}

/**
 * The last start of the schedule at or before an instant. When clocks are set back, one hour occurs twice. A start in its first occurrence
 * may then have a later wall-clock time than the instant, so the search begins after the wall-clock time of the instant.
 */
function lastStart(schedule: CronSchedule, zone: Zone, at: number): number | undefined {
  for (const wall of startsFrom(schedule, zone.wallAt(at) + clockChangeNear(zone, at), 'backward')) {
    const start = zone.instantAt(wall);
    if (start <= at) return start;
  }
  return undefined;
}

/** The first start of the schedule after an instant. */
function nextStart(schedule: CronSchedule, zone: Zone, after: number): number | undefined {
  for (const wall of startsFrom(schedule, zone.wallAt(after) - clockChangeNear(zone, after), 'forward')) {
    const start = zone.instantAt(wall);
    if (start > after) return start;
  }
  return undefined;
}

/**
 * Returns the time at which a window that opened at `started` closes, or undefined if it does not close within the horizon. Overlapping and
 * adjacent windows are merged.
 */
function closing({ schedule, durationMs }: WindowTimes & { type: 'Recurring' }, zone: Zone, started: number): number | undefined {
  const isGapless = longestGapMs(schedule) <= durationMs;
  let end = started + durationMs;
  let from = zone.wallAt(started) - clockChangeNear(zone, started);
  for (let overlaps = 0; overlaps <= MAX_OVERLAPS && end - started <= HORIZON_MS; overlaps++) {
    const next = startsFrom(schedule, from, 'forward').next();
    if (next.done === true) return end;
    const wall = next.value;
    if (zone.instantAt(wall) > end) return end;
    const last = isGapless ? lastUniformStart(schedule, zone, wall) : wall;
    end = Math.max(end, zone.instantAt(last) + durationMs);
    from = last + MINUTE_MS;
  }
  return undefined;
}

/**
 * Returns the last start of the day of a start, or the start itself if clocks change between the two, because windows that are adjacent on
 * the wall clock may then have a gap between them.
 */
function lastUniformStart({ hours, minutes }: CronSchedule, zone: Zone, wall: number): number {
  const day = Math.floor(wall / DAY_MS) * DAY_MS;
  const last = day + ((hours.at(-1) ?? 0) * 60 + (minutes.at(-1) ?? 0)) * MINUTE_MS;
  return last - zone.instantAt(last) === wall - zone.instantAt(wall) ? last : wall;
}

/** The longest time between two consecutive starts of one day; 0 if a day has one start. */
function longestGapMs({ hours, minutes }: CronSchedule): number {
  const gaps = (values: readonly number[]): readonly number[] => values.slice(1).map((value, i) => value - (values[i] ?? 0));
  const lastToFirst = (minutes.at(-1) ?? 0) - (minutes[0] ?? 0);
  return Math.max(0, ...gaps(minutes), ...gaps(hours).map((gap) => gap * 60 - lastToFirst)) * MINUTE_MS;
}
