import { EVERY_CLUSTER, type InFlightCluster, type RolloutEntry, type RolloutTarget } from '@outrigger/api';
import { parseTime } from '@outrigger/core';
import type { TargetHistory } from '../../revisions/target-history.js';
import { decideEntry } from '../../rollout/admit.js';
import type { EntryDecision, EntryState } from '../../rollout/entry.js';
import type { Admission } from '../../rollout/phase.js';
import { amountOf, readAmount, readStrategy } from '../../rollout/strategy.js';
import { entryRecord } from './entry-record.js';
import type { EntryMembers, Member } from './members.js';
import type { TargetReader } from './observation.js';
import type { FleetState } from './state.js';
import { type TargetReading, readTargets } from './target-reading.js';
import { entryTargets } from './targets.js';

/** One entry's part of the record after this step. */
export interface EntryStep {
  readonly entry: RolloutEntry;
  /** Why nobody is let go, where that is not the strategy's doing. */
  readonly problem: string | undefined;
  readonly recheckAt: number | undefined;
}

/** Advances the rollout of one entry, or returns undefined while there is nothing to go to. */
export function stepEntry(
  state: FleetState,
  members: EntryMembers,
  history: TargetHistory,
  before: RolloutEntry | undefined,
  now: { readonly wall: number; readonly time: string },
): EntryStep | undefined {
  const targets = entryTargets(state, members.observation.entry, history, before, now.time);
  if (!targets.target) return before && { entry: withProblem(before, targets.problem), problem: targets.problem, recheckAt: undefined };
  const reading = readTargets(members, targets.target, targets);
  const isPaused = state.rollout?.spec.paused === true || targets.problem !== undefined;
  const entryState = entryStateOf(members, reading, history, { before, isPaused, now: now.wall });
  const decision = decideEntry(entryState, now.wall);
  const elsewhere = stillElsewhere(entryState, decision, before);
  const entry = entryRecord({ members, targets, reading, before, decision, elsewhere, now });
  return { entry, problem: targets.problem, recheckAt: decision.recheckAt };
}

/** An entry that has nothing to go to keeps what it had, and says why. */
function withProblem(before: RolloutEntry, problem: string | undefined): RolloutEntry {
  return problem === undefined ? before : { ...before, state: 'Halted', message: problem };
}

interface Situation {
  readonly before: RolloutEntry | undefined;
  readonly isPaused: boolean;
  readonly now: number;
}

function entryStateOf({ observation, members }: EntryMembers, reading: TargetReading, history: TargetHistory, at: Situation): EntryState {
  const { before, isPaused, now } = at;
  const { inFlight, elsewhere } = inFlightOf(members, reading, history, at);
  const strategy = readStrategy(observation.entry.rolloutStrategy);
  const target = reading.targetOf(undefined).revision;
  const star = before?.inFlight?.find(({ cluster, revision }) => cluster === EVERY_CLUSTER && revision === target);
  const hasCompleted = before?.completedRevision === target;
  // Times are only asked of clusters in flight; under a star that is everybody until it has completed.
  const isTimed = (cluster: string): boolean => inFlight.has(cluster) || (star !== undefined && !hasCompleted);
  const observations = new Map<string, ReturnType<TargetReader['observe']>>();
  for (const member of members.values()) {
    const { cluster } = member;
    observations.set(cluster, reading.readerOf(member).observe(member, isTimed(cluster)));
  }
  return {
    strategy,
    groups: observation.groups.map((group) => ({ ...group, clusters: group.clusters.filter((cluster) => members.has(cluster)) })),
    observations,
    inFlight,
    elsewhere,
    // Only a star of the same target admits everybody; for a new target it must be given again.
    admittedAllAt: star && (parseTime(star.admittedAt) ?? now),
    hasCompleted,
    clustersPerGroup: amountOf(readAmount(observation.clustersPerGroup) ?? { percent: 100 }, members.size),
    isPaused,
  };
}

/**
 * Who is in flight to the target. A new target keeps the slots: whoever was on the way to the last one is retargeted, and its time starts
 * again. While paused nobody is: those on the way elsewhere finish first.
 */
function inFlightOf(
  members: ReadonlyMap<string, Member>,
  reading: TargetReading,
  history: TargetHistory,
  { before, isPaused, now }: Situation,
): Pick<EntryState, 'inFlight' | 'elsewhere'> {
  const inFlight = new Map<string, Omit<Admission, 'isByStar'>>();
  const elsewhere = new Set<string>();
  for (const recorded of before?.inFlight ?? []) {
    const member = members.get(recorded.cluster);
    if (!member) continue;
    const { revision } = recorded;
    const isJoiner = revision === before?.completedRevision && revision !== before.targetRevision;
    if (revision === reading.targetOf(member).revision) inFlight.set(recorded.cluster, admissionOf(recorded, now));
    else if (!isPaused && !isJoiner) inFlight.set(recorded.cluster, { ...admissionOf(recorded, now), at: now, parkedSince: undefined });
    else if (!hasArrived(member, history.find(revision), reading)) elsewhere.add(recorded.cluster);
  }
  return { inFlight, elsewhere };
}

function admissionOf({ admittedAt, unhealthyBefore = false, parkedSince }: InFlightCluster, now: number): Omit<Admission, 'isByStar'> {
  return { at: parseTime(admittedAt) ?? now, unhealthyBefore, parkedSince: parseTime(parkedSince) };
}

function hasArrived(member: Member, target: RolloutTarget | undefined, reading: TargetReading): boolean {
  if (!target) return true;
  return reading.readerOf(member).against(target).observe(member, false).isDone;
}

/** Joiners stay on their way to what was there before only while the rollout is held up; then they wait their turn like all others. */
function stillElsewhere({ elsewhere }: EntryState, { hold }: EntryDecision, before: RolloutEntry | undefined): readonly InFlightCluster[] {
  return hold === undefined ? [] : (before?.inFlight ?? []).filter(({ cluster }) => elsewhere.has(cluster));
}
