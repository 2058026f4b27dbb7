import { EVERY_CLUSTER, type InFlightCluster, type RolloutEntry, type RolloutTarget } from '@outrigger/api';
import { parseTime } from '@outrigger/core';
import type { Now } from '@outrigger/kube';
import type { AddOnRecord } from '../../resources/add-ons.js';
import { isUnreachable } from '../../resources/clusters.js';
import { isVersionOnly } from '../../revisions/revision.js';
import type { TargetHistory } from '../../revisions/target-history.js';
import { decideEntry } from '../../rollout/admit.js';
import type { EntryDecision, EntryState } from '../../rollout/entry.js';
import type { Admission, ClusterObservation } from '../../rollout/phase.js';
import { amountOf, readAmount, readStrategy } from '../../rollout/strategy.js';
import { entryRecord } from './entry-record.js';
import type { Grants } from './grants.js';
import type { EntryMembers, MemberGroup } from './members.js';
import type { TargetReader } from './observation.js';
import { ObservedMember, type RecordedPlace } from './observed-member.js';
import type { FleetState } from './state.js';
import type { Stopwatch } from './stopwatch.js';
import { type TargetReading, readTargets } from './target-reading.js';
import { entryTargets } from './targets.js';

/** One entry's part of the record after this step. */
export interface EntryStep {
  readonly entry: RolloutEntry;
  /** Why nobody is let go, where that is not the strategy's doing. */
  readonly problem: string | undefined;
  readonly recheckAt: number | undefined;
  /** The default version the entry stays on although no template offers it any more. */
  readonly goneDefault?: string;
}

/** What the entries of one pass have in common. */
export interface EntryContext {
  readonly state: FleetState;
  readonly history: TargetHistory;
  readonly grants: Grants;
  readonly stopwatch: Stopwatch;
  readonly now: Now;
}

/** Advances the rollout of one entry, or returns undefined while there is nothing to go to. */
export function stepEntry(context: EntryContext, members: EntryMembers, before: RolloutEntry | undefined): EntryStep | undefined {
  const { state, history, now } = context;
  const { entry } = members.observation;
  const targets = entryTargets(state, entry, history, before, now.time);
  if (!targets.target) return before && { entry: withProblem(before, targets.problem), problem: targets.problem, recheckAt: undefined };
  const reading = readTargets(entry, targets.target, targets);
  const isPaused = state.rollout?.spec.paused === true || targets.problem !== undefined;
  const entryState = entryStateOf(context, members, { reading, before, isPaused });
  const decision = decideEntry(entryState, now);
  startTiming(context.stopwatch, entry.name, before, decision, now.time);
  const elsewhere = stillElsewhere(entryState, decision, before);
  return {
    entry: entryRecord({ name: entry.name, targets, target: targets.target, before, decision, elsewhere, now }),
    problem: targets.problem,
    recheckAt: decision.recheckAt,
    ...(targets.goneDefault === undefined ? {} : { goneDefault: targets.goneDefault }),
  };
}

/** An entry that has nothing to go to keeps what it had, and says why. */
function withProblem(before: RolloutEntry, problem: string | undefined): RolloutEntry {
  return problem === undefined ? before : { ...before, state: 'Halted', message: problem };
}

interface Situation {
  readonly reading: TargetReading;
  readonly before: RolloutEntry | undefined;
  readonly isPaused: boolean;
}

function entryStateOf(context: EntryContext, { observation, groups, count, isSettled }: EntryMembers, situation: Situation): EntryState {
  const { reading, before, isPaused } = situation;
  const { entry } = observation;
  const { name, rolloutStrategy } = entry;
  const strategy = readStrategy(rolloutStrategy);
  const recorded = new Map((before?.inFlight ?? []).map((one) => [one.cluster, one]));
  const wildcard = recorded.get(EVERY_CLUSTER);
  const wildcardAdmission = wildcard && admissionOf(context, wildcard, starName(name));
  // A wildcard admission holds for its own target only; a new target needs a new one.
  const star = wildcard?.revision === reading.made.revision ? wildcardAdmission : undefined;
  const surroundings = {
    isSettled,
    clusterOf: context.state.cluster,
    stopwatch: context.stopwatch,
    star: star && { stored: parseTime(star.admittedAt) ?? 0, since: star.since },
  };
  // Under a strategy with a budget, clusters that an earlier wildcard admission sent on their way keep their slots.
  const earlierWildcard = star || strategy.type === 'All' ? undefined : wildcardPlaces(context, situation, wildcardAdmission);
  const observe = ({ clusters, addOns }: MemberGroup): readonly ObservedMember[] =>
    clusters.map((cluster, i) => {
      const addOn = addOns[i];
      const reader = reading.readerOf(addOn);
      const held = context.grants.held(addOn, entry);
      const one = recorded.get(cluster);
      const place = one
        ? placeOf(context, addOn, one, { ...situation, reader, isNamedByWildcard: wildcard !== undefined })
        : (earlierWildcard?.(cluster, addOn, reader) ?? NOT_RECORDED);
      return new ObservedMember(cluster, { addOn, held }, reader, place, surroundings);
    });
  return {
    strategy,
    groups: groups.map((group) => ({ index: group.index, name: group.name, clusters: observe(group) })),
    star,
    hasCompleted: before?.completedRevision === reading.made.revision,
    clustersPerGroup: amountOf(readAmount(observation.clustersPerGroup) ?? { percent: 100 }, count),
    isPaused,
    keepsFailed: isVersionOnly(reading.made),
  };
}

const NOT_RECORDED: RecordedPlace = { admission: undefined, isElsewhere: false };

/**
 * Returns the place of a cluster that the record names. A cluster that is still on its way to an earlier target keeps its slot: it is
 * retargeted, and its deadline starts again; while the rollout is paused it finishes its move first. A cluster that has arrived there
 * releases its slot, whatever the record still lists, and waits for a new admission (addons.md §5).
 */
function placeOf(
  context: EntryContext,
  addOn: AddOnRecord | undefined,
  recorded: InFlightCluster,
  { before, isPaused, reader, isNamedByWildcard }: Situation & { readonly reader: TargetReader; readonly isNamedByWildcard: boolean },
): RecordedPlace {
  const { revision } = recorded;
  const admission = admissionOf(context, recorded, recorded.cluster);
  if (revision === reader.revision) return { admission, isElsewhere: false };
  // Beside a wildcard admission no annotation is written; else a cluster whose annotation does not say the revision has not set out.
  const hasSetOut = isNamedByWildcard || addOn?.revision === revision;
  const hasReported = hasArrived(addOn, context.history.find(revision), reader);
  if (hasReported && hasSetOut) return NOT_RECORDED;
  // It had the revision by a wildcard admission before. Until its annotation says so, only its place in the record does.
  if (hasReported) return { admission: undefined, isElsewhere: true, isUnwritten: true };
  const isJoiner = revision === before?.completedRevision && revision !== before.targetRevision;
  if (isPaused || isJoiner) return { admission: undefined, isElsewhere: true };
  return retargeted(context, admission, reader);
}

/** A cluster that is parked stays parked: a new target does not make it reachable. */
function retargeted({ now }: EntryContext, admission: Admission, reader: TargetReader): RecordedPlace {
  const { wall: since, time: admittedAt } = now;
  return { admission: { ...admission, revision: reader.revision, admittedAt, since }, isElsewhere: false };
}

/**
 * Returns how to place the clusters of an entry whose record holds a wildcard admission of an earlier target. Undefined while the rollout
 * is paused, and where the revision is not in the history any more.
 */
function wildcardPlaces(
  context: EntryContext,
  { isPaused }: Situation,
  wildcard: Admission | undefined,
): ((cluster: string, addOn: AddOnRecord | undefined, reader: TargetReader) => RecordedPlace) | undefined {
  const target = context.history.find(wildcard?.revision);
  if (isPaused || !wildcard || !target) return undefined;
  return (cluster, addOn, reader) => {
    const report = reader.against(target).read(addOn);
    // An add-on that does not report the wildcard's revision follows another one, or has not set out.
    if (!addOn || report.isDone || !report.atTarget || isUnreachable(context.state.cluster(cluster))) return NOT_RECORDED;
    return retargeted(context, wildcard, reader);
  };
}

function admissionOf({ stopwatch, now }: EntryContext, recorded: InFlightCluster, name: string): Admission {
  const { revision, admittedAt, unhealthyBefore = false, parkedSince } = recorded;
  return { revision, admittedAt, since: stopwatch.since('moving', name, parseTime(admittedAt) ?? now.wall), unhealthyBefore, parkedSince };
}

/** Whether the add-on reports that it is done for an earlier target. Soaking and health do not matter: its move has ended. */
function hasArrived(addOn: AddOnRecord | undefined, target: RolloutTarget | undefined, reader: TargetReader): boolean {
  return target === undefined || reader.against(target).read(addOn).isDone;
}

/** Stars are timed by entry: every one has its own. */
function starName(entry: string): string {
  return `${EVERY_CLUSTER} ${entry}`;
}

/** Whoever is let go by this step is timed from it, not from when the record is read again. */
function startTiming(stopwatch: Stopwatch, entry: string, before: RolloutEntry | undefined, decision: EntryDecision, time: string): void {
  const recorded = new Map((before?.inFlight ?? []).map((one) => [one.cluster, one]));
  for (const [cluster, { revision, admittedAt }] of decision.inFlight) {
    const old = recorded.get(cluster);
    const isNew = old?.revision !== revision || old.admittedAt !== admittedAt;
    if (admittedAt === time && isNew) stopwatch.start('moving', cluster, time);
  }
  if (decision.admitted.includes(EVERY_CLUSTER)) stopwatch.start('moving', starName(entry), time);
}

/** Joiners stay on their way to what was there before only while the rollout is held up; then they wait their turn like all others. */
function stillElsewhere({ groups }: EntryState, { hold }: EntryDecision, before: RolloutEntry | undefined): readonly InFlightCluster[] {
  if (!before?.inFlight) return [];
  const stays = (seen: ClusterObservation): boolean => seen.isElsewhere && (hold !== undefined || seen.isUnwritten === true);
  const elsewhere = new Set(groups.flatMap(({ clusters }) => clusters.filter(stays).map(({ cluster }) => cluster)));
  return before.inFlight.filter(({ cluster }) => elsewhere.has(cluster));
}
