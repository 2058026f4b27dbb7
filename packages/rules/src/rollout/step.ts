import { EVERY_CLUSTER, type InFlightCluster, type RolloutEntry, type RolloutTarget, type TargetChange } from '@outrigger/api';
import type { TargetHistory } from '../revisions/target-history.js';
import type { EntryMembers } from '../strategy/members.js';
import { decideStep, type StepDecision } from './decide.js';
import type { Gates } from './gates/gates.js';
import type { ObservedCluster, StepInput } from './input.js';
import { type ObservationContext, stepInput, wildcardName } from './observe/observe.js';
import type { Stopwatch } from './observe/stopwatch.js';
import { readTargets } from './observe/target-report.js';
import { entryRecord } from './record.js';
import { causeOf, type TargetCause } from './targets/cause.js';
import { entryTargets, type TargetState } from './targets/targets.js';

/** The inputs that all entries of one pass share. */
export interface StepContext extends ObservationContext {
  readonly state: TargetState;
  readonly history: TargetHistory;
  readonly stopwatch: Stopwatch;
  /** All rollouts of the fleet are paused. */
  readonly isFleetPaused: boolean;
  /** The gates of an entry for a target; undefined if no policy governs the add-on. */
  readonly gates: (entry: string, before: RolloutEntry | undefined, target: number) => Gates | undefined;
}

/** The result of a step: the next record of the entry. */
export interface EntryStep {
  readonly entry: RolloutEntry;
  /** Why no cluster is admitted, if the reason is not the strategy. */
  readonly problem: string | undefined;
  readonly recheckAt: number | undefined;
  /** The default version that the entry keeps although no template provides it any more. */
  readonly goneDefault?: string;
}

/** Advances the rollout of one entry. Without a target, returns the entry as recorded, or undefined if it was never recorded. */
export function stepEntry(context: StepContext, members: EntryMembers, before: RolloutEntry | undefined): EntryStep | undefined {
  const { state, history, now } = context;
  const { entry } = members.observation;
  const targets = entryTargets(state, entry, history, before, now.time);
  const { target } = targets;
  if (!target) return before && { entry: withProblem(before, targets.problem), problem: targets.problem, recheckAt: undefined };
  const isPaused = state.rollout?.spec.paused === true || context.isFleetPaused || targets.problem !== undefined;
  const gates = context.gates(entry.name, before, target.revision);
  const input = stepInput(context, members, { reading: readTargets(entry, target, targets), before, isPaused, gates });
  const decision = decideStep(input, now);
  startTiming(context.stopwatch, entry.name, before, decision, now.time);
  const elsewhere = stillElsewhere(input, decision, before);
  const from = history.find(before?.targetRevision);
  const cause = (last: TargetChange | undefined): TargetCause => causeOf(state, { entry, from, to: target, last });
  const isLeft = before !== undefined && from !== undefined && from !== target && before.timeline?.[0]?.outcome !== 'Completed';
  const closed = isLeft ? closedRecord(context, members, before, from, isPaused) : undefined;
  return {
    entry: entryRecord({ name: entry.name, targets, target, before, decision, elsewhere, closed, cause, now }),
    problem: targets.problem,
    recheckAt: decision.recheckAt,
    ...(targets.goneDefault === undefined ? {} : { goneDefault: targets.goneDefault }),
  };
}

/**
 * The record of the previous target as of now. Records are written at most once per second, so the stored one may not show yet that the
 * previous target completed. It must not use the stopwatch of the pass, which would measure the same clusters for two targets.
 */
function closedRecord(
  context: StepContext,
  members: EntryMembers,
  before: RolloutEntry,
  target: RolloutTarget,
  isPaused: boolean,
): RolloutEntry {
  const { history, now } = context;
  const handMade = history.find(before.handMadeRevision) ?? target;
  const ownConfigs = history.find(before.ownConfigsRevision) ?? target;
  const targets = { target, handMade, ownConfigs, problem: undefined };
  const { entry } = members.observation;
  const reading = readTargets(entry, target, targets);
  const unrecorded = { ...context, stopwatch: context.stopwatch.fork() };
  const decision = decideStep(stepInput(unrecorded, members, { reading, before, isPaused }), now);
  return entryRecord({
    name: entry.name,
    targets,
    target,
    before,
    decision,
    elsewhere: [],
    closed: undefined,
    cause: () => ({}),
    now,
  });
}

/** An entry without a target keeps its record; its message gives the reason. */
function withProblem(before: RolloutEntry, problem: string | undefined): RolloutEntry {
  return problem === undefined ? before : { ...before, state: 'Halted', message: problem };
}

/** The move of a cluster that this step admits starts now, not when a later pass reads the record. */
function startTiming(stopwatch: Stopwatch, entry: string, before: RolloutEntry | undefined, decision: StepDecision, time: string): void {
  const recorded = new Map((before?.inFlight ?? []).map((one) => [one.cluster, one]));
  for (const [cluster, { revision, admittedAt }] of decision.inFlight) {
    const old = recorded.get(cluster);
    const isNew = old?.revision !== revision || old.admittedAt !== admittedAt;
    if (admittedAt === time && isNew) stopwatch.start('moving', cluster, time);
  }
  if (decision.admitted.includes(EVERY_CLUSTER)) stopwatch.start('moving', wildcardName(entry), time);
}

/**
 * The recorded clusters that continue to another revision. Clusters that joined do so only while the rollout is paused, halted or held by a
 * gate; afterwards they wait for their admission like all others.
 */
function stillElsewhere(
  { groups }: StepInput,
  { holdsJoiners, heldElsewhere }: StepDecision,
  before: RolloutEntry | undefined,
): readonly InFlightCluster[] {
  if (!before?.inFlight) return [];
  const stays = (seen: ObservedCluster): boolean =>
    seen.retarget ? heldElsewhere.has(seen.cluster) : seen.isElsewhere && (holdsJoiners || seen.isUnwritten === true);
  const elsewhere = new Set(groups.flatMap(({ clusters }) => clusters.filter(stays).map(({ cluster }) => cluster)));
  return before.inFlight.filter(({ cluster }) => elsewhere.has(cluster));
}
