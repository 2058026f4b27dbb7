import {
  EVERY_CLUSTER,
  type InFlightCluster,
  type RejectedContent,
  type RolloutEntry,
  type RolloutTarget,
  type TargetChange,
  progressionMessage,
} from '@outrigger/api';
import { failureFields } from './admissions/failure.js';
import type { StepDecision } from './decide.js';
import type { Admission } from './input.js';
import { failures } from './phase.js';
import type { TargetCause } from './targets/cause.js';
import type { ChosenTargets } from './roll-back/roll-back.js';
import { arrivalSeconds } from './timeline/arrivals.js';
import { nextTimeline } from './timeline/timeline.js';

interface Outcome {
  readonly name: string;
  readonly targets: ChosenTargets;
  readonly target: RolloutTarget;
  readonly before: RolloutEntry | undefined;
  readonly decision: StepDecision;
  /** Clusters in the record that continue to a revision other than the target. */
  readonly elsewhere: readonly InFlightCluster[];
  /** The last state of the previous target, if the target of the entry changed. This state might not have been written yet. */
  readonly closed: RolloutEntry | undefined;
  /** Returns the cause of the change of the target. `last` is the change that set the previous target. */
  readonly cause: (last: TargetChange | undefined) => TargetCause;
  /** The rejections in force. */
  readonly rejected: readonly RejectedContent[];
  /** The time at which too many clusters had failed; undefined if the entry will not roll back automatically. */
  readonly failedSince: string | undefined;
  /** Whether the clusters of the entry are not known, for example because its Placement does not exist. */
  readonly isUnknown?: boolean;
  /** Whether the declaration requests the target: no pin and no rejection replaces it. */
  readonly isDeclared?: boolean;
  /** The reason why clusters of an entry that is unknown wait; undefined if none waits for that reason. */
  readonly unknownText?: string | undefined;
  readonly now: { readonly time: string };
}

/** Computes the next record of one entry from the decision of a step. */
export function entryRecord(outcome: Outcome): RolloutEntry {
  const { before, closed = before, decision, isDeclared = false, cause, now } = outcome;
  const next = withoutTimeline(outcome);
  const arrived = (isComplete: boolean): readonly number[] => arrivalSeconds(decision, isComplete);
  const { gating } = decision;
  const hasTooManyFailures = decision.hasTooManyFailures || gating?.failure !== undefined;
  const isEndHeld = gating?.holdsEnd === true || isEndUnknown(outcome);
  const timeline = nextTimeline({ before: closed, next, hasTooManyFailures, isEndHeld, isDeclared, arrived, cause, now: now.time });
  return timeline.length === 0 ? next : { ...next, timeline };
}

function withoutTimeline(outcome: Outcome): RolloutEntry {
  const { name, targets, target, before, decision, now } = outcome;
  const counters = countersOf(decision);
  const { gating } = decision;
  const isComplete = hasCompleted(decision.counts, gating) && !isEndUnknown(outcome);
  const { revision } = target;
  const handMade = targets.handMade?.revision;
  const ownConfigs = targets.ownConfigs?.revision;
  const isSameTarget = before?.targetRevision === revision;
  const inFlight = inFlightRecords(outcome, isComplete);
  // While the rollout is paused, halted or held by a gate, joining clusters get the completed revision (addons.md §5). Record a revision as
  // completed only if at least one cluster has succeeded with it. An entry that has no clusters, or no reachable ones, has no such cluster.
  const completedRevision = isComplete && decision.counts.succeeded > 0 ? revision : before?.completedRevision;
  const unhealthyBefore = unhealthyBeforeCount(outcome, isSameTarget);
  const { parked } = decision.counts;
  return {
    name,
    targetRevision: revision,
    ...(handMade === undefined || handMade === revision ? {} : { handMadeRevision: handMade }),
    ...(ownConfigs === undefined || ownConfigs === revision ? {} : { ownConfigsRevision: ownConfigs }),
    ...(completedRevision === undefined ? {} : { completedRevision }),
    startedAt: isSameTarget ? (before.startedAt ?? now.time) : now.time,
    ...(inFlight.length > 0 ? { inFlight } : {}),
    ...counters,
    ...failureFields(decision.groups),
    ...(unhealthyBefore > 0 ? { unhealthyBefore } : {}),
    ...(parked > 0 ? { parked } : {}),
    state: targets.problem === undefined ? stateOf(outcome, counters, isComplete) : 'Halted',
    message: targets.problem ?? messageOf(outcome, counters),
    ...(gating && gating.waitingFor.length > 0 ? { waitingFor: gating.waitingFor } : {}),
    ...(gating && gating.openedGates.length > 0 ? { openedGates: gating.openedGates } : {}),
    ...(gating && gating.analysis.length > 0 ? { analysis: gating.analysis } : {}),
    ...(outcome.rejected.length > 0 ? { rejected: outcome.rejected } : {}),
    ...(outcome.failedSince === undefined ? {} : { failedSince: outcome.failedSince }),
    ...(targets.rolledBack ? { rolledBack: targets.rolledBack } : {}),
  };
}

/**
 * Whether it cannot be known that the rollout is complete, because clusters of the entry may be missing. A rollout that completed before
 * stays complete.
 */
function isEndUnknown({ isUnknown = false, target, before }: Outcome): boolean {
  return isUnknown && before?.completedRevision !== target.revision;
}

/** Whether every reachable cluster has the target and no gate prevents the end of the rollout. */
export function hasCompleted(counts: StepDecision['counts'], gating: StepDecision['gating']): boolean {
  const { progressing, failed } = countersOf({ counts });
  return counts.waiting === 0 && progressing === 0 && failed === 0 && gating?.holdsEnd !== true;
}

/**
 * Returns the number of clusters that were unhealthy before their move. A cluster is added to the stored count when the record no longer
 * lists it. Under a wildcard admission the record covers all clusters until the rollout completes, so until then each pass computes the
 * count again.
 */
function unhealthyBeforeCount({ before, decision }: Outcome, isSameTarget: boolean): number {
  const earlier = isSameTarget ? (before?.unhealthyBefore ?? 0) : 0;
  const counted = decision.groups.reduce((sum, group) => sum + group.unhealthyBefore, 0);
  if (!decision.admitsAll) return earlier + counted;
  return isSameTarget && before?.completedRevision === before?.targetRevision ? earlier : counted;
}

type Counters = Readonly<Record<'selected' | 'done' | 'progressing' | 'failed' | 'skipped', number>>;

function countersOf({ counts }: Pick<StepDecision, 'counts'>): Counters {
  const { waiting, skipped, soaking, parked, succeeded } = counts;
  const progressing = counts.progressing + soaking + parked;
  const failed = failures(counts);
  return { selected: waiting + skipped + progressing + failed + succeeded, done: succeeded, progressing, failed, skipped };
}

/**
 * Returns the admissions for the next record. The wildcard admission comes first; the others are sorted by cluster, so that an unchanged
 * record is identical to the previous one.
 */
function inFlightRecords(outcome: Outcome, isComplete: boolean): readonly InFlightCluster[] {
  const { target, decision, elsewhere, before, now } = outcome;
  const named = Array.from(decision.inFlight, ([cluster, admission]) => record(cluster, admission));
  // The record lists a cluster only once, so a cluster that is admitted to the target is no longer listed with its earlier revision.
  const staying = elsewhere.filter(({ cluster }) => !decision.inFlight.has(cluster));
  const all = [...named, ...staying, ...joinerRecords(outcome)].sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
  if (!decision.admitsAll) return all;
  const old = before?.inFlight?.find((recorded) => recorded.cluster === EVERY_CLUSTER && recorded.revision === target.revision);
  const wildcard = {
    cluster: EVERY_CLUSTER,
    revision: target.revision,
    admittedAt: old?.admittedAt ?? now.time,
    ...(decision.except.length > 0 ? { except: decision.except } : {}),
  };
  return isComplete ? [wildcard] : [wildcard, ...all];
}

function joinerRecords({ before, target, decision, elsewhere, now }: Outcome): readonly InFlightCluster[] {
  const revision = before?.completedRevision;
  if (revision === undefined) return [];
  // Never admit joining clusters to a target that exceeded maxFailures, even while paused.
  if (decision.hasTooManyFailures && revision === target.revision) return [];
  const known = new Set(elsewhere.map(({ cluster }) => cluster));
  return decision.joiners.filter((cluster) => !known.has(cluster)).map((cluster) => ({ cluster, revision, admittedAt: now.time }));
}

function record(cluster: string, { revision, admittedAt, unhealthyBefore, parkedSince }: Admission): InFlightCluster {
  return {
    cluster,
    revision,
    admittedAt,
    ...(unhealthyBefore ? { unhealthyBefore } : {}),
    ...(parkedSince === undefined ? {} : { parkedSince }),
  };
}

function stateOf(
  { decision: { hold }, isUnknown }: Outcome,
  { selected }: Counters,
  isComplete: boolean,
): NonNullable<RolloutEntry['state']> {
  if (hold === 'Paused') return 'Paused';
  if (hold !== undefined) return 'Halted';
  if (isUnknown && selected === 0) return 'Pending';
  return isComplete ? 'Completed' : 'Progressing';
}

const HOLDS = { Paused: 'paused', TooManyFailures: 'more clusters have failed than maxFailures tolerates' } as const;

/** Describes the gates that hold clusters, for people. A gate that was removed and now holds no cluster is not mentioned. */
function gateTexts({ gating }: StepDecision): readonly string[] {
  const waits = (gating?.waitingFor ?? []).filter(({ loosened, clusters }) => loosened !== true || clusters !== 0);
  return waits.map(({ name, message }) => `waits for ${name}${message === undefined ? '' : `: ${message}`}`);
}

/** Describes the rejected content that the entry must not move to, and the automatic way back. */
function rejectionTexts({ rolledBack, rejection }: ChosenTargets): readonly string[] {
  if (rolledBack) return [`went back from revision ${rolledBack.from} to revision ${rolledBack.to}: ${rolledBack.reason}`];
  return rejection ? [`revision ${rejection.revision ?? '?'} is rejected: ${rejection.reason}`] : [];
}

function messageOf(outcome: Outcome, counters: Counters): string {
  const { before, decision, targets, failedSince, unknownText } = outcome;
  const progress = [progressionMessage(counters), ...rejectionTexts(targets)].join('; ');
  const unknown = unknownText === undefined ? [] : [`no cluster is admitted: ${unknownText}`];
  if (decision.hold === undefined) return [progress, ...gateTexts(decision), ...unknown].join('; ');
  const reason = decision.hold === 'AnalysisFailed' ? (decision.gating?.failure?.message ?? '') : HOLDS[decision.hold];
  const why = failedSince === undefined ? reason : `${reason}; goes back 60 s after ${failedSince} unless clusters recover`;
  const waits = decision.joiners.length > 0 && before?.completedRevision === undefined;
  return waits ? `${progress}; ${why}; no revision has completed yet, so clusters that join wait` : `${progress}; ${why}`;
}
