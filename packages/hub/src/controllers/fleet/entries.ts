import { EVERY_CLUSTER, type InFlightCluster, type RolloutEntry, type RolloutTarget } from '@outrigger/api';
import { parseTime } from '@outrigger/core';
import type { Now } from '@outrigger/kube';
import { type AddOnRecord, isUnreachable } from '@outrigger/rules/observed';
import { isVersionOnly, type TargetHistory } from '@outrigger/rules/revisions';
import {
  type Admission,
  amountOf,
  type ClusterObservation,
  decideEntry,
  type EntryDecision,
  type EntryState,
  entryTargets,
  ObservedMember,
  readAmount,
  readStrategy,
  readTargets,
  type RecordedPlace,
  type TargetReader,
  type TargetReading,
} from '@outrigger/rules/rollout';
import { entryRecord } from './entry-record.js';
import type { Grants } from './grants.js';
import type { EntryMembers, MemberGroup } from './members.js';
import type { FleetState } from './state.js';
import type { Stopwatch } from './stopwatch.js';

/** The next record of one entry. */
export interface EntryStep {
  readonly entry: RolloutEntry;
  /** Why no cluster is admitted, unless the strategy is the reason. */
  readonly problem: string | undefined;
  readonly recheckAt: number | undefined;
  /** The default version that the entry keeps although no template offers it any more. */
  readonly goneDefault?: string;
}

/** The inputs that all entries of one pass share. */
export interface EntryContext {
  readonly state: FleetState;
  readonly history: TargetHistory;
  readonly grants: Grants;
  readonly stopwatch: Stopwatch;
  readonly now: Now;
}

/** Advances the rollout of one entry. Without a target, returns the entry as recorded, or undefined if it was never recorded. */
export function stepEntry(context: EntryContext, members: EntryMembers, before: RolloutEntry | undefined): EntryStep | undefined {
  const { state, history, now } = context;
  const { entry } = members.observation;
  const targets = entryTargets(state, entry, history, before, now.time);
  if (!targets.target) return before && { entry: withProblem(before, targets.problem), problem: targets.problem, recheckAt: undefined };
  const reading = readTargets(entry, targets.target, targets);
  const isPaused = state.rollout?.spec.paused === true || state.isFleetPaused === true || targets.problem !== undefined;
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

/** An entry without a target keeps its record; its message gives the reason. */
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
  const recordedWildcard = recorded.get(EVERY_CLUSTER);
  const wildcardAdmission = recordedWildcard && admissionOf(context, recordedWildcard, wildcardName(name));
  // A wildcard admission applies to its own target only; a new target needs a new one.
  const wildcard = recordedWildcard?.revision === reading.made.revision ? wildcardAdmission : undefined;
  const memberContext = {
    isSettled,
    clusterOf: context.state.cluster,
    stopwatch: context.stopwatch,
    wildcard: wildcard && { stored: parseTime(wildcard.admittedAt) ?? 0, since: wildcard.since },
  };
  // Under a strategy with a budget, clusters in flight by an earlier wildcard admission keep their slots.
  const earlierWildcard = wildcard || strategy.type === 'All' ? undefined : wildcardPlaces(context, situation, wildcardAdmission);
  const observe = ({ clusters, addOns }: MemberGroup): readonly ObservedMember[] =>
    clusters.map((cluster, i) => {
      const addOn = addOns[i];
      const reader = reading.readerOf(addOn);
      const held = context.grants.held(addOn, entry);
      const one = recorded.get(cluster);
      const place = one
        ? placeOf(context, addOn, one, { ...situation, reader, isNamedByWildcard: wildcard !== undefined })
        : (earlierWildcard?.(cluster, addOn, reader) ?? NOT_RECORDED);
      return new ObservedMember(cluster, { addOn, held }, reader, place, memberContext);
    });
  return {
    strategy,
    groups: groups.map((group) => ({ index: group.index, name: group.name, clusters: observe(group) })),
    wildcard,
    hasCompleted: before?.completedRevision === reading.made.revision,
    clustersPerGroup: amountOf(readAmount(observation.clustersPerGroup) ?? { percent: 100 }, count),
    isPaused,
    keepsFailed: isVersionOnly(reading.made),
  };
}

const NOT_RECORDED: RecordedPlace = { admission: undefined, isElsewhere: false };

/**
 * Returns the place of a cluster that the record names. A cluster that is still in flight to an earlier target keeps its slot: it is
 * retargeted, and its deadline starts again; while the rollout is paused it finishes its move first. A cluster that is done with the
 * earlier target releases its slot even if the record still lists it, and waits for a new admission (addons.md §5).
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
  // Clusters under a wildcard admission have no annotation. Any other cluster has not started to move until its annotation names the
  // revision.
  const hasSetOut = isNamedByWildcard || addOn?.revision === revision;
  const hasReported = hasArrived(addOn, context.history.find(revision), reader);
  if (hasReported && hasSetOut) return NOT_RECORDED;
  // The cluster got the revision by an earlier wildcard admission. Until its annotation names the revision, only the record does.
  if (hasReported) return { admission: undefined, isElsewhere: true, isUnwritten: true };
  const isJoiner = revision === before?.completedRevision && revision !== before.targetRevision;
  if (isPaused || isJoiner) return { admission: undefined, isElsewhere: true };
  return retargeted(context, admission, reader);
}

/** A parked cluster stays parked: a new target does not make it reachable. */
function retargeted({ now }: EntryContext, admission: Admission, reader: TargetReader): RecordedPlace {
  const { wall: since, time: admittedAt } = now;
  return { admission: { ...admission, revision: reader.revision, admittedAt, since }, isElsewhere: false };
}

/**
 * Returns how to place the clusters of an entry whose record holds a wildcard admission for an earlier target. Undefined while the rollout
 * is paused, and if the history no longer has that revision.
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
    // An add-on that does not report the wildcard's revision follows another one, or has not started to move.
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

/** Every entry has its own wildcard admission, so it is timed under the name of the entry. */
function wildcardName(entry: string): string {
  return `${EVERY_CLUSTER} ${entry}`;
}

/** A cluster that this step admits is timed from now, not from when a later pass reads the record. */
function startTiming(stopwatch: Stopwatch, entry: string, before: RolloutEntry | undefined, decision: EntryDecision, time: string): void {
  const recorded = new Map((before?.inFlight ?? []).map((one) => [one.cluster, one]));
  for (const [cluster, { revision, admittedAt }] of decision.inFlight) {
    const old = recorded.get(cluster);
    const isNew = old?.revision !== revision || old.admittedAt !== admittedAt;
    if (admittedAt === time && isNew) stopwatch.start('moving', cluster, time);
  }
  if (decision.admitted.includes(EVERY_CLUSTER)) stopwatch.start('moving', wildcardName(entry), time);
}

/**
 * The recorded clusters that continue to another revision. Joining clusters do so only while the rollout is paused or halted; afterwards
 * they wait for their admission like all others.
 */
function stillElsewhere({ groups }: EntryState, { hold }: EntryDecision, before: RolloutEntry | undefined): readonly InFlightCluster[] {
  if (!before?.inFlight) return [];
  const stays = (seen: ClusterObservation): boolean => seen.isElsewhere && (hold !== undefined || seen.isUnwritten === true);
  const elsewhere = new Set(groups.flatMap(({ clusters }) => clusters.filter(stays).map(({ cluster }) => cluster)));
  return before.inFlight.filter(({ cluster }) => elsewhere.has(cluster));
}
