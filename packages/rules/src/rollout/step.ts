import type { RejectedContent, RolloutEntry, RolloutStrategy, RolloutTarget, TargetChange } from '@outrigger/api';
import { earliest } from '@outrigger/core';
import type { DueMeasurement } from '../policy/analysis-gates.js';
import type { TargetHistory } from '../revisions/target-history.js';
import type { EntryMembers } from '../strategy/members.js';
import { strategyProblem } from '../strategy/rollout-strategy.js';
import { stillElsewhere } from './admissions/elsewhere.js';
import { decideStep } from './decide.js';
import type { Gates } from './gates/gates.js';
import type { StepInput } from './input.js';
import { type ObservationContext, startTiming, stepInput } from './observe/observe.js';
import { otherEntries } from './observe/other-entries.js';
import type { Stopwatch } from './observe/stopwatch.js';
import { readTargets } from './observe/target-report.js';
import { entryRecord } from './record.js';
import { causeOf, type TargetCause } from './targets/cause.js';
import { reactToFailures } from './roll-back/react.js';
import type { Rejections } from './roll-back/rejections.js';
import { type ChosenTargets, type RollBackRule, withRejections } from './roll-back/roll-back.js';
import { pinOf } from './targets/pins.js';
import { type ObservedTarget, recordTarget } from './target-record/record-end.js';
import type { TargetRecord } from './target-record/target-record.js';
import { entryTargets, type TargetState } from './targets/targets.js';
import { isWayBack } from './timeline/way-back.js';

/** The inputs that all entries of one pass share. */
export interface StepContext extends ObservationContext {
  readonly state: TargetState;
  readonly history: TargetHistory;
  readonly stopwatch: Stopwatch;
  /** Whether all rollouts of the fleet are paused. */
  readonly isFleetPaused: boolean;
  /**
   * Returns the gates of an entry for a target, or undefined if no policy governs the add-on. Gates do not apply if the target is a way
   * back.
   */
  readonly gates: (entry: string, before: RolloutEntry | undefined, target: number, isWayBack: boolean) => Gates | undefined;
  /** Content that no entry of the add-on may move to. */
  readonly rejections: Rejections;
  /** The rule for automatic rollbacks; if undefined, failed rollouts halt. */
  readonly rollBack: RollBackRule | undefined;
  /** Whether a policy governs the add-on, so that the moves of its clusters are recorded. */
  readonly isGoverned?: boolean;
}

/** The result of a step, with the next record of the entry. */
export interface EntryStep {
  readonly entry: RolloutEntry;
  /** The reason why no cluster is admitted; undefined if only the strategy prevents admissions. */
  readonly problem: string | undefined;
  readonly recheckAt: number | undefined;
  /** The default version that the entry keeps although no template provides it any more. */
  readonly goneDefault?: string;
  /**
   * The content of the target, if the entry rejects it because the rollout failed. From now on no entry of the add-on moves to this
   * content.
   */
  readonly rejects?: RejectedContent;
  /** The rejection that prevents the entry from moving to the content that the declaration requests. */
  readonly rejection?: RejectedContent;
  /** Measurements that groups still need. */
  readonly measurements?: readonly DueMeasurement[];
  /** The records of targets that ended in this pass. The timeline of the entry names them. */
  readonly targetRecords?: readonly TargetRecord[];
}

/** The start of a step: the target of the entry, and the input for the decision. */
export interface PreparedStep {
  readonly targets: ChosenTargets;
  readonly target: RolloutTarget;
  readonly isPinned: boolean;
  readonly isPaused: boolean;
  /** Whether the target completed earlier in this entry, so that no gate holds clusters. */
  readonly isWayBack: boolean;
  readonly input: StepInput;
}

/** Chooses the target of an entry and observes its clusters. The planner starts from the same result as the manager. */
export function prepareStep(
  context: StepContext,
  members: EntryMembers,
  before: RolloutEntry | undefined,
): PreparedStep | { readonly targets: ChosenTargets; readonly target: undefined } {
  const { state, history, now } = context;
  const { entry } = members.observation;
  const wanted = entryTargets(state, entry, history, before, now.time);
  const isPinned = pinOf(state.rollout?.spec, entry.name) !== undefined;
  const find = (revision: number | undefined): RolloutTarget | undefined => history.find(revision);
  const chosen: ChosenTargets = isPinned
    ? wanted
    : withRejections(wanted, { entry: before, find, rejections: context.rejections, at: now.time });
  const targets: ChosenTargets = { ...chosen, problem: chosen.problem ?? unreadableStrategy(entry.rolloutStrategy) };
  const { target, rolledBack } = targets;
  if (!target) return { targets, target };
  const isPaused = state.rollout?.spec.paused === true || context.isFleetPaused || targets.problem !== undefined;
  const isBack = rolledBack !== undefined || (before !== undefined && isWayBack(before, target.revision, isPinned));
  const gates = context.gates(entry.name, before, target.revision, isBack);
  const wayBack = rolledBack && { rolledBack, rule: context.rollBack };
  const others = otherEntries(state.rollout?.status.entries ?? [], entry.name);
  const reading = readTargets(entry, target, targets);
  const input = stepInput(context, members, { reading, before, isPaused, isWayBack: isBack, gates, wayBack, others });
  return { targets, target, isPinned, isPaused, isWayBack: isBack, input };
}

/**
 * Returns a message if a value of the strategy cannot be parsed; no cluster is admitted then. Such a value must not count as absent,
 * because the entry would then move faster than its author requested.
 */
function unreadableStrategy(strategy: RolloutStrategy | undefined): string | undefined {
  const problem = strategyProblem(strategy);
  return problem && `spec.installStrategy: ${problem}; no cluster is admitted until it is corrected`;
}

/**
 * Advances the rollout of one entry. An entry without a target keeps its record: the result is the recorded entry, or undefined if the
 * entry was never recorded.
 */
export function stepEntry(context: StepContext, members: EntryMembers, before: RolloutEntry | undefined): EntryStep | undefined {
  const { state, history, now } = context;
  const { entry } = members.observation;
  const prepared = prepareStep(context, members, before);
  const { targets, target } = prepared;
  if (!target) return before && { entry: withProblem(before, targets.problem), problem: targets.problem, recheckAt: undefined };
  const { isPinned, isPaused, isWayBack, input } = prepared;
  const { rolledBack } = targets;
  const decision = decideStep(input, now);
  startTiming(context.stopwatch, entry.name, before, decision, now.time);
  const elsewhere = stillElsewhere(input, decision, before);
  const from = history.find(before?.targetRevision);
  const cause = (last: TargetChange | undefined): TargetCause =>
    causeOf(state, { entry, from, to: target, last, isAutomatic: rolledBack?.to === target.revision });
  const isLeft = before !== undefined && from !== undefined && from !== target && before.timeline?.[0]?.outcome !== 'Completed';
  const closed = isLeft ? closedRecord(context, members, before, from, isPaused) : undefined;
  const step = { target, before, isPinned, isPaused, isWayBack, decision };
  const { failedSince, recheckAt, rejects } = reactToFailures(context, entry.name, step);
  const next = entryRecord({
    name: entry.name,
    targets,
    target,
    before,
    decision,
    elsewhere,
    closed: closed?.entry,
    cause,
    rejected: context.rejections.list,
    failedSince,
    isDeclared: !isPinned && targets.problem === undefined && targets.rejection === undefined,
    isUnknown: members.observation.unknown !== undefined,
    unknownText: input.isUnknown && !decision.admitsAll && decision.counts.waiting > 0 ? members.observation.unknown?.message : undefined,
    now,
  });
  const recorded = recordTarget({
    addOn: state.managementAddOn.key.name,
    isGoverned: context.isGoverned === true,
    before,
    next: { entry: next, input, decision },
    closed,
    now,
  });
  return {
    entry: recorded.entry,
    ...(recorded.records.length > 0 ? { targetRecords: recorded.records } : {}),
    problem: targets.problem,
    recheckAt: earliest(decision.recheckAt, recheckAt),
    ...(targets.goneDefault === undefined ? {} : { goneDefault: targets.goneDefault }),
    ...(rejects ? { rejects } : {}),
    ...(targets.rejection ? { rejection: targets.rejection } : {}),
    ...(decision.gating && decision.gating.measurements.length > 0 ? { measurements: decision.gating.measurements } : {}),
  };
}

/**
 * Returns the current record of the previous target. Records are written at most once per second, so the stored record may not show yet
 * that the previous target completed. This function uses a fork of the stopwatch of the pass, so that the stopwatch does not measure the
 * same clusters for two targets.
 */
function closedRecord(
  context: StepContext,
  members: EntryMembers,
  before: RolloutEntry,
  target: RolloutTarget,
  isPaused: boolean,
): ObservedTarget {
  const { history, now } = context;
  const handMade = history.find(before.handMadeRevision) ?? target;
  const ownConfigs = history.find(before.ownConfigsRevision) ?? target;
  const targets = { target, handMade, ownConfigs, problem: undefined };
  const { entry } = members.observation;
  const reading = readTargets(entry, target, targets);
  const unrecorded = { ...context, stopwatch: context.stopwatch.fork() };
  const input = stepInput(unrecorded, members, { reading, before, isPaused });
  const decision = decideStep(input, now);
  const rejected = context.rejections.list;
  const isUnknown = members.observation.unknown !== undefined;
  const left = { elsewhere: [], closed: undefined, cause: () => ({}), rejected, failedSince: undefined, isUnknown };
  return { entry: entryRecord({ name: entry.name, targets, target, before, decision, ...left, now }), input, decision };
}

/** An entry without a target keeps its record, and its message gives the reason. */
function withProblem(before: RolloutEntry, problem: string | undefined): RolloutEntry {
  return problem === undefined ? before : { ...before, state: 'Halted', message: problem };
}
