import type { EntryState, ObservedGroup, PhaseCounts, PlacedGroup } from './input.js';
import { type ClusterObservation, PROGRESSING, type Phase, type Standing, isInFlight, standingOf } from './phase.js';

/** Determines the phase of every cluster of a group, and counts them. No other loop visits clusters that are neither waiting nor moving. */
export function placeGroup(state: EntryState, group: ObservedGroup, now: number): PlacedGroup {
  const counts = noCounts();
  const waiting: ClusterObservation[] = [];
  const returning: ClusterObservation[] = [];
  const inFlight: { seen: ClusterObservation; phase: Phase }[] = [];
  const arrived: ClusterObservation[] = [];
  const skipped: ClusterObservation[] = [];
  const retargets: ClusterObservation[] = [];
  let unhealthyBefore = 0;
  let recheckAt: number | undefined;
  for (const seen of group.clusters) {
    const standing = placeCluster(state, seen, now);
    const { phase } = standing;
    counts[phase]++;
    if (phase === 'waiting') (seen.isReturning ? returning : waiting).push(seen);
    if (seen.retarget) retargets.push(seen);
    if (phase === 'skipped') skipped.push(seen);
    if (isInFlight(phase) || (phase === 'failed' && state.keepsFailed && seen.admission)) inFlight.push({ seen, phase });
    if (phase === 'succeeded' && seen.admission) arrived.push(seen);
    if (standing.isUnhealthyBefore) unhealthyBefore++;
    recheckAt = earlier(recheckAt, standing.recheckAt);
  }
  const queue = returning.length > 0 ? [...returning, ...waiting] : waiting;
  return { ...group, counts, waiting: queue, skipped, retargets, inFlight, arrived, unhealthyBefore, recheckAt };
}

/** The phase of one cluster of an entry. */
export function placeCluster(
  state: Pick<EntryState, 'hasCompleted' | 'wildcard' | 'strategy'>,
  seen: ClusterObservation,
  now: number,
): Standing {
  if (seen.isElsewhere) return PROGRESSING;
  const isPast = state.hasCompleted && seen.admission === undefined && seen.report.isDone;
  const wildcard = seen.isExcepted ? undefined : state.wildcard;
  return standingOf(seen, isPast ? undefined : (seen.admission ?? wildcard), state.strategy, now);
}

export function noCounts(): Record<Phase, number> {
  return { waiting: 0, skipped: 0, progressing: 0, soaking: 0, parked: 0, failing: 0, failed: 0, succeeded: 0 };
}

export function sumCounts(groups: readonly PlacedGroup[]): Record<Phase, number> {
  const sum = noCounts();
  for (const { counts } of groups) for (const phase of Object.keys(sum) as Phase[]) sum[phase] += counts[phase];
  return sum;
}

export function failures(counts: PhaseCounts): number {
  return counts.failed + counts.failing;
}

/** How many slots of the budget are taken. */
export function slotsTaken(counts: PhaseCounts): number {
  return counts.progressing + counts.soaking + counts.failing;
}

/** How many clusters of a group must finish before the next group starts. */
export function onTheWay(counts: PhaseCounts): number {
  return counts.progressing + counts.soaking;
}

export function earlier(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined || a < b ? a : b;
}
