import { EVERY_CLUSTER, type InFlightCluster, type RolloutEntry, progressionMessage } from '@outrigger/api';
import { toTime } from '@outrigger/core';
import type { EntryDecision } from '../../rollout/entry.js';
import type { Admission, Phase, Standing } from '../../rollout/phase.js';
import type { EntryMembers } from './members.js';
import type { TargetReading } from './target-reading.js';
import type { EntryTargets } from './targets.js';

export interface EntryOutcome {
  readonly members: EntryMembers;
  readonly targets: EntryTargets;
  readonly reading: TargetReading;
  readonly before: RolloutEntry | undefined;
  readonly decision: EntryDecision;
  /** Recorded clusters that go on to another revision than the target. */
  readonly elsewhere: readonly InFlightCluster[];
  readonly now: { readonly wall: number; readonly time: string };
}

/** Writes one entry of the record from what a step decided. */
export function entryRecord(outcome: EntryOutcome): RolloutEntry {
  const { members, targets, reading, before, decision, now } = outcome;
  const counts = countPhases(decision.standings);
  const isComplete = counts.waiting === 0 && counts.progressing === 0 && counts.failed === 0;
  const { revision } = reading.targetOf(undefined);
  const handMade = targets.handMade?.revision;
  const isSameTarget = before?.targetRevision === revision;
  const inFlight = inFlightRecords(outcome, isComplete);
  const completedRevision = isComplete ? revision : before?.completedRevision;
  const unhealthyBefore = unhealthyBeforeCount(outcome, counts, isSameTarget);
  const { selected, done, progressing, failed, skipped } = counts;
  return {
    name: members.observation.entry.name,
    targetRevision: revision,
    ...(handMade === undefined || handMade === revision ? {} : { handMadeRevision: handMade }),
    ...(completedRevision === undefined ? {} : { completedRevision }),
    startedAt: isSameTarget ? (before.startedAt ?? now.time) : now.time,
    ...(inFlight.length > 0 ? { inFlight } : {}),
    selected,
    done,
    progressing,
    failed,
    skipped,
    ...(unhealthyBefore > 0 ? { unhealthyBefore } : {}),
    ...(counts.parked > 0 ? { parked: counts.parked } : {}),
    state: targets.problem === undefined ? stateOf(decision, isComplete) : 'Halted',
    message: targets.problem ?? messageOf(outcome, counts),
  };
}

/** A cluster counts when it leaves the record; a star names its clusters until it has completed, so there they are counted each time. */
function unhealthyBeforeCount({ before, decision }: EntryOutcome, counts: Counts, isSameTarget: boolean): number {
  const earlier = isSameTarget ? (before?.unhealthyBefore ?? 0) : 0;
  if (!decision.admitsAll) return earlier + counts.unhealthyBefore;
  return isSameTarget && before?.completedRevision === before?.targetRevision ? earlier : counts.unhealthyBefore;
}

interface Counts {
  readonly selected: number;
  readonly waiting: number;
  readonly done: number;
  readonly progressing: number;
  readonly failed: number;
  readonly skipped: number;
  readonly parked: number;
  /** Newly succeeded without their health being asked. */
  readonly unhealthyBefore: number;
}

function countPhases(standings: readonly Standing[]): Counts {
  const by: Record<Phase, number> = { waiting: 0, skipped: 0, progressing: 0, soaking: 0, parked: 0, failing: 0, failed: 0, succeeded: 0 };
  let unhealthyBefore = 0;
  for (const { phase, isUnhealthyBefore } of standings) {
    by[phase]++;
    if (isUnhealthyBefore) unhealthyBefore++;
  }
  return {
    selected: standings.length,
    waiting: by.waiting,
    done: by.succeeded,
    progressing: by.progressing + by.soaking + by.parked,
    failed: by.failed + by.failing,
    skipped: by.skipped,
    parked: by.parked,
    unhealthyBefore,
  };
}

/** By cluster, so that an unchanged record is the same text; a star comes first. */
function inFlightRecords(outcome: EntryOutcome, isComplete: boolean): readonly InFlightCluster[] {
  const { members, reading, decision, elsewhere, before, now } = outcome;
  const { revision } = reading.targetOf(undefined);
  const named = [...decision.inFlight].map(([cluster, admission]) =>
    record(cluster, reading.targetOf(members.members.get(cluster)).revision, admission),
  );
  const all = [...named, ...elsewhere, ...joinerRecords(outcome)].sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
  if (!decision.admitsAll) return all;
  const old = before?.inFlight?.find((recorded) => recorded.cluster === EVERY_CLUSTER && recorded.revision === revision);
  const star = { cluster: EVERY_CLUSTER, revision, admittedAt: old?.admittedAt ?? now.time };
  return isComplete ? [star] : [star, ...all];
}

function joinerRecords({ before, reading, decision, elsewhere, now }: EntryOutcome): readonly InFlightCluster[] {
  const revision = before?.completedRevision;
  if (revision === undefined) return [];
  // Of a target that fails nobody gets more, paused or not.
  if (decision.hasTooManyFailures && revision === reading.targetOf(undefined).revision) return [];
  const known = new Set(elsewhere.map(({ cluster }) => cluster));
  return decision.joiners.filter((cluster) => !known.has(cluster)).map((cluster) => ({ cluster, revision, admittedAt: now.time }));
}

function record(cluster: string, revision: number, { at, unhealthyBefore, parkedSince }: Omit<Admission, 'isByStar'>): InFlightCluster {
  return {
    cluster,
    revision,
    admittedAt: toTime(at),
    ...(unhealthyBefore ? { unhealthyBefore } : {}),
    ...(parkedSince === undefined ? {} : { parkedSince: toTime(parkedSince) }),
  };
}

function stateOf({ hold }: EntryDecision, isComplete: boolean): NonNullable<RolloutEntry['state']> {
  if (hold === 'Paused') return 'Paused';
  if (hold === 'TooManyFailures') return 'Halted';
  return isComplete ? 'Completed' : 'Progressing';
}

function messageOf({ before, decision }: EntryOutcome, counts: Counts): string {
  const progress = progressionMessage(counts);
  if (decision.hold === undefined) return progress;
  const why = decision.hold === 'Paused' ? 'paused' : 'more clusters have failed than maxFailures tolerates';
  const waits = decision.joiners.length > 0 && before?.completedRevision === undefined;
  return waits ? `${progress}; ${why}; no revision has completed yet, so clusters that join wait` : `${progress}; ${why}`;
}
