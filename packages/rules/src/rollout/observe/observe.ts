import { EVERY_CLUSTER, type InFlightCluster, type RollBack, type RolloutEntry, type RolloutTarget } from '@outrigger/api';
import { findCondition, parseTime } from '@outrigger/core';
import type { AddOnProjection } from '../../observed/add-ons.js';
import { type ClusterProjection, isUnreachable } from '../../observed/clusters.js';
import { exceptionTest } from '../../revisions/assigned.js';
import { isVersionOnly } from '../../revisions/revision.js';
import type { TargetHistory } from '../../revisions/target-history.js';
import type { StrategyEntry } from '../../strategy/entry.js';
import type { EntryMembers, MemberGroup } from '../../strategy/members.js';
import { decisionGroupSize, readStrategy, type Strategy } from '../../strategy/rollout-strategy.js';
import { type RecordedFailure, recordedFailures } from '../admissions/failure.js';
import type { StepDecision } from '../decide.js';
import type { Gates } from '../gates/gates.js';
import type { Admission, StepInput } from '../input.js';
import { type ActivityTimes, CachedCluster, type RecordedPlace } from './cached-cluster.js';
import { type RollBackRule, wayBackRank, wayBackStrategy } from '../roll-back/roll-back.js';
import type { OtherEntries } from './other-entries.js';
import type { Stopwatch } from './stopwatch.js';
import { TargetReader, type TargetReading } from './target-report.js';

/** The inputs that all entries of one pass share. */
export interface ObservationContext {
  readonly cluster: (name: string) => ClusterProjection | undefined;
  readonly history: Pick<TargetHistory, 'find'>;
  /** The content that a cluster has without a new admission, if any. */
  readonly assigned: { target(clusterAddOn: AddOnProjection | undefined, entry: StrategyEntry): RolloutTarget | undefined };
  readonly stopwatch: ActivityTimes;
  readonly now: { readonly wall: number; readonly time: string };
}

interface Situation {
  readonly reading: TargetReading;
  readonly before: RolloutEntry | undefined;
  readonly isPaused: boolean;
  /** Whether the target completed earlier in this entry. */
  readonly isWayBack?: boolean;
  /** The gates of rollout policies; undefined if no policy governs the add-on. */
  readonly gates?: Gates | undefined;
  /** The automatic way back that set the target, and the policy's rule for automatic rollbacks, if there is one. */
  readonly wayBack?: { readonly rolledBack: RollBack; readonly rule: RollBackRule | undefined } | undefined;
  /** The clusters that other entries of the record list. */
  readonly others?: OtherEntries | undefined;
}

/** Builds the input for a step of one entry. Each cluster of the entry is described by the record and by the cluster's report. */
export function stepInput(
  context: ObservationContext,
  { observation, groups, count, isSettled }: EntryMembers,
  situation: Situation,
): StepInput {
  const { reading, before, isPaused, gates } = situation;
  const { entry } = observation;
  const { name, rolloutStrategy } = entry;
  const declared = readStrategy(rolloutStrategy);
  const strategy = situation.wayBack ? wayBackStrategy(declared, situation.wayBack.rule) : declared;
  const rank = situation.wayBack && rankOf(context, entry, declared, situation.wayBack.rolledBack);
  const recorded = new Map((before?.inFlight ?? []).map((one) => [one.cluster, one]));
  const recordedWildcard = recorded.get(EVERY_CLUSTER);
  const wildcardAdmission = recordedWildcard && admissionOf(context, recordedWildcard, wildcardName(name));
  // A wildcard admission applies only to its own target, so a new target needs a new one.
  const wildcard = recordedWildcard?.revision === reading.made.revision ? wildcardAdmission : undefined;
  const isExcepted = wildcard && outsideTest(recordedWildcard, before?.members, gates !== undefined);
  const outside = { isSettled, clusterOf: context.cluster, stopwatch: context.stopwatch, wildcard: undefined, wayBackRank: rank };
  const covered = wildcard ? { ...outside, wildcard: { stored: parseTime(wildcard.admittedAt) ?? 0, since: wildcard.since } } : outside;
  // Under a strategy with a budget, clusters in flight through an earlier wildcard admission keep their slots.
  const earlierWildcard = wildcard || strategy.type === 'All' ? undefined : wildcardPlaces(context, situation, wildcardAdmission);
  const failures = recordedFailures(before?.targetRevision === reading.made.revision ? before : {});
  const observe = ({ clusters, addOns }: MemberGroup): readonly CachedCluster[] =>
    clusters.map((cluster, i) => {
      const clusterAddOn = addOns[i];
      const reader = reading.readerOf(clusterAddOn);
      const assigned = context.assigned.target(clusterAddOn, entry);
      const one = recorded.get(cluster);
      if (isExcepted?.(cluster)) {
        const place = one
          ? placeOf(context, clusterAddOn, one, { reader, isNamedByWildcard: false, ...situation })
          : fromOtherEntry(context, situation, cluster, clusterAddOn, reader);
        return new CachedCluster(cluster, { clusterAddOn, assigned }, reader, { ...place, isExcepted: true }, outside);
      }
      const place = one
        ? placeOf(context, clusterAddOn, one, { reader, isNamedByWildcard: wildcard !== undefined, ...situation })
        : (earlierWildcard?.(cluster, clusterAddOn, reader) ??
          (wildcard ? NOT_RECORDED : fromOtherEntry(context, situation, cluster, clusterAddOn, reader)));
      const failure = failures.get(cluster) ?? failureInOtherEntry(situation, cluster);
      const marked = failure ? { ...place, recordedFailure: failure } : place;
      return new CachedCluster(cluster, { clusterAddOn, assigned }, reader, marked, covered);
    });
  return {
    strategy,
    groups: groups.map((group) => ({ index: group.index, name: group.name, clusters: observe(group) })),
    wildcard,
    hasCompleted: before?.completedRevision === reading.made.revision,
    clustersPerGroup: decisionGroupSize(observation.clustersPerGroup, count),
    isPaused,
    keepsFailed: isVersionOnly(reading.made),
    ...(situation.wayBack ? { isAutomaticWayBack: true } : {}),
    ...(observation.unknown && !situation.isWayBack ? { isUnknown: true } : {}),
    ...(gates === undefined
      ? {}
      : { gates, hasOtherCompleted: before?.completedRevision !== undefined && before.completedRevision !== reading.made.revision }),
  };
}

/**
 * Returns a function that computes the position of an add-on in the queue of an automatic way back, from its report about the revision that
 * the entry leaves.
 */
function rankOf(
  { history }: ObservationContext,
  entry: StrategyEntry,
  forward: Strategy,
  { from, at }: RollBack,
): ((clusterAddOn: AddOnProjection | undefined) => number) | undefined {
  const target = history.find(from);
  if (!target) return undefined;
  const left = new TargetReader(entry, target);
  const wentBackAt = parseTime(at) ?? 0;
  return (clusterAddOn) => {
    const doneAt = parseTime(findCondition(clusterAddOn?.status.conditions, 'Progressing')?.lastTransitionTime) ?? 0;
    return wayBackRank({ ...left.read(clusterAddOn), doneAt }, forward, wentBackAt);
  };
}

/**
 * Returns a function that reports whether the wildcard admission leaves out a cluster. It leaves out clusters that a gate held and, if
 * policies govern the add-on, clusters that joined after the last record.
 */
function outsideTest(
  wildcard: InFlightCluster | undefined,
  members: readonly string[] | undefined,
  isGated: boolean,
): ((cluster: string) => boolean) | undefined {
  const isExcepted = wildcard?.except === undefined ? undefined : exceptionTest(wildcard);
  if (!isGated || !members) return isExcepted;
  const known = new Set(members);
  return (cluster) => !known.has(cluster) || isExcepted?.(cluster) === true;
}

const NOT_RECORDED: RecordedPlace = { admission: undefined, isElsewhere: false };

/**
 * Returns the state of a cluster that the record of this entry does not name. The cluster keeps its admission and takes a slot in this
 * entry if another entry has it in flight to the same revision, even if the cluster only soaks. Any other cluster waits for an admission.
 */
function fromOtherEntry(
  context: ObservationContext,
  { others }: Situation,
  cluster: string,
  clusterAddOn: AddOnProjection | undefined,
  reader: TargetReader,
): RecordedPlace {
  if (!others) return NOT_RECORDED;
  const { atTarget, isDone } = reader.read(clusterAddOn);
  if (!atTarget) return NOT_RECORDED;
  const recorded = isDone ? others.named(cluster) : others.admission(cluster);
  if (recorded?.revision !== reader.revision) return NOT_RECORDED;
  return { admission: admissionOf(context, recorded, cluster), isElsewhere: false };
}

/**
 * Returns the failure that another entry with the same target lists for the cluster, if this entry does not record the cluster as its
 * member yet.
 */
function failureInOtherEntry({ others, before, reading }: Situation, cluster: string): RecordedFailure | undefined {
  const failure = others?.failure(cluster, reading.made.revision);
  return failure && !before?.members?.includes(cluster) ? failure : undefined;
}

/**
 * Returns the state of a cluster that the record names. A cluster that is in flight to an earlier target keeps its slot and moves on to the
 * current target, and its deadline starts again. While the rollout is paused, it first finishes its current move. A cluster that is done
 * with the earlier target releases its slot, even if the record still lists it, and waits for a new admission (addons.md §5).
 */
function placeOf(
  context: ObservationContext,
  clusterAddOn: AddOnProjection | undefined,
  recorded: InFlightCluster,
  {
    before,
    isPaused,
    gates,
    reader,
    isNamedByWildcard,
  }: Situation & { readonly reader: TargetReader; readonly isNamedByWildcard: boolean },
): RecordedPlace {
  const { revision } = recorded;
  const admission = admissionOf(context, recorded, recorded.cluster);
  if (revision === reader.revision) return { admission, isElsewhere: false };
  // Add-ons under a wildcard admission have no annotation. Any other cluster starts to move only when the annotation names the revision.
  const hasSetOut = isNamedByWildcard || clusterAddOn?.revision === revision;
  const hasReported = hasArrived(clusterAddOn, context.history.find(revision), reader);
  if (hasReported && hasSetOut) return NOT_RECORDED;
  // The cluster got the revision through an earlier wildcard admission. Keep it in the record until the annotation names the revision,
  // because until then only the record names it.
  if (hasReported) return { admission: undefined, isElsewhere: true, isUnwritten: true };
  const isJoiner = revision === before?.completedRevision && revision !== before.targetRevision;
  if (isPaused || isJoiner) return { admission: undefined, isElsewhere: true };
  return gatedRetarget(retargeted(context, admission, reader), gates);
}

/** A new target needs a new admission, and therefore open gates. Until the gates open, the cluster continues to the earlier target. */
function gatedRetarget(place: RecordedPlace, gates: Gates | undefined): RecordedPlace {
  return gates ? { admission: undefined, isElsewhere: true, retarget: place.admission } : place;
}

/** A parked cluster stays parked, because a new target does not make it reachable. */
function retargeted({ now }: ObservationContext, admission: Admission, reader: TargetReader): RecordedPlace {
  const { wall: since, time: admittedAt } = now;
  return { admission: { ...admission, revision: reader.revision, admittedAt, since }, isElsewhere: false };
}

/**
 * Returns a function for the clusters that are in flight through a wildcard admission for an earlier target. The function returns the state
 * of such a cluster, and undefined for any other cluster, which another entry may have in flight. Returns undefined instead of a function
 * while the rollout is paused, or if the history no longer contains the earlier revision.
 */
function wildcardPlaces(
  context: ObservationContext,
  { isPaused, gates }: Situation,
  wildcard: Admission | undefined,
): ((cluster: string, clusterAddOn: AddOnProjection | undefined, reader: TargetReader) => RecordedPlace | undefined) | undefined {
  const target = context.history.find(wildcard?.revision);
  if (isPaused || !wildcard || !target) return undefined;
  return (cluster, clusterAddOn, reader) => {
    const report = reader.against(target).read(clusterAddOn);
    // An add-on that does not report the revision of the wildcard admission is still on another revision, so its cluster is not in flight.
    if (!clusterAddOn || report.isDone || !report.atTarget || isUnreachable(context.cluster(cluster))) return undefined;
    return gatedRetarget(retargeted(context, wildcard, reader), gates);
  };
}

function admissionOf({ stopwatch, now }: ObservationContext, recorded: InFlightCluster, name: string): Admission {
  const { revision, admittedAt, unhealthyBefore = false, parkedSince } = recorded;
  return { revision, admittedAt, since: stopwatch.since('moving', name, parseTime(admittedAt) ?? now.wall), unhealthyBefore, parkedSince };
}

/**
 * Whether the add-on reports that it is done with an earlier target. Its move to that target has then ended, whatever its soak time and
 * health.
 */
function hasArrived(clusterAddOn: AddOnProjection | undefined, target: RolloutTarget | undefined, reader: TargetReader): boolean {
  return target === undefined || reader.against(target).read(clusterAddOn).isDone;
}

/** Every entry has its own wildcard admission, so its start time is stored under a name derived from the entry. */
function wildcardName(entry: string): string {
  return `${EVERY_CLUSTER} ${entry}`;
}

/**
 * Starts to time the moves of the clusters that this step admits. Without this, a later pass that reads the record would start to time
 * them, and the measured times would be too short.
 */
export function startTiming(
  stopwatch: Stopwatch,
  entry: string,
  before: RolloutEntry | undefined,
  decision: Pick<StepDecision, 'inFlight' | 'admitted'>,
  time: string,
): void {
  const recorded = new Map((before?.inFlight ?? []).map((one) => [one.cluster, one]));
  for (const [cluster, { revision, admittedAt }] of decision.inFlight) {
    const old = recorded.get(cluster);
    const isNew = old?.revision !== revision || old.admittedAt !== admittedAt;
    if (admittedAt === time && isNew) stopwatch.start('moving', cluster, time);
  }
  if (decision.admitted.includes(EVERY_CLUSTER)) stopwatch.start('moving', wildcardName(entry), time);
}
