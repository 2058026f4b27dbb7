import type { RejectedContent, RollBack, RolloutEntry, RolloutTarget } from '@outrigger/api';
import type { AnalysisFailure } from '../../policy/analysis-gates.js';
import { type CompiledPolicy, failurePolicy } from '../../policy/compile.js';
import { amountOf, readAmount, type Strategy } from '../../strategy/rollout-strategy.js';
import type { EntryTargets } from '../targets/targets.js';
import { completedChanges, wayBack } from '../timeline/way-back.js';
import type { Rejections } from './rejections.js';

/** The time without interruption for which more clusters than maxFailures tolerates must be `failed` before an entry rolls back. */
const ROLL_BACK_AFTER_MS = 60_000;

/** The rule of a policy for the automatic rollback of failed rollouts. */
export interface RollBackRule {
  readonly policy: string;
  /** The maximum number of clusters that may move back at the same time; undefined means the limit of the entry's strategy. */
  readonly maxConcurrency: number | string | undefined;
}

/**
 * Returns the rollback rule of the policy that decides what happens when a rollout of this add-on fails. Returns undefined if the rollout
 * halts instead.
 */
export function rollBackRule(policies: readonly CompiledPolicy[], addOn: string): RollBackRule | undefined {
  const policy = failurePolicy(policies, addOn);
  if (policy?.onFailure?.action !== 'RollBack' || policy.problem !== undefined) return undefined;
  return { policy: policy.name, maxConcurrency: policy.onFailure.maxConcurrency };
}

/** The state of an entry that determines whether the entry rolls back automatically. */
export interface FailedEntry {
  readonly rule: RollBackRule | undefined;
  readonly target: RolloutTarget;
  /** The recorded entry; undefined before the first record. */
  readonly entry: RolloutEntry | undefined;
  readonly isPinned: boolean;
  readonly isPaused: boolean;
  /**
   * Whether the target completed earlier in this entry, so that the entry is already going back, either automatically or because a fleet
   * admin requested it.
   */
  readonly isWayBack: boolean;
  /** The time, on the hub's clock, since which more clusters have been `failed` without interruption than maxFailures tolerates. */
  readonly failedSince: number | undefined;
  /** Part of the reason in the rejection, such as `3 clusters failed`. */
  readonly failedText: string;
  readonly analysis: AnalysisFailure | undefined;
  readonly find: (revision: number) => RolloutTarget | undefined;
  readonly rejections: Rejections;
  readonly now: number;
}

/** The reason why an entry leaves its target. */
export interface RollBackCause {
  /** The gate that a Retried decision must name to lift the rejection. */
  readonly gate: string;
  readonly reason: string;
}

export interface RollBackDecision {
  /** If set, the content of the target is rejected, and the entry goes back to an earlier target in the next pass. */
  readonly cause?: RollBackCause;
  /** The time at which the entry will roll back unless enough clusters recover before. */
  readonly recheckAt?: number;
}

const NO_ROLL_BACK: RollBackDecision = {};

/**
 * Decides whether the content of the target is rejected, so that the entry goes back. Content is never rejected if the target is pinned, is
 * itself a way back, or has completed. If no earlier target has completed, the rollout halts instead.
 */
export function decideRollBack(state: FailedEntry): RollBackDecision {
  const { rule, target, entry, isPinned, isPaused, isWayBack, failedSince, analysis, now } = state;
  if (!rule || !entry || entry.rolledBack || isPinned || isPaused || isWayBack) return NO_ROLL_BACK;
  if (entry.targetRevision !== target.revision || entry.completedRevision === target.revision) return NO_ROLL_BACK;
  if (previousTarget(entry, state.find, state.rejections) === undefined) return NO_ROLL_BACK;
  if (analysis?.result === 'Failed') {
    return { cause: { gate: analysis.gate, reason: `analysis ${analysis.gate} of group ${analysis.group} failed: ${analysis.message}` } };
  }
  if (failedSince === undefined) return NO_ROLL_BACK;
  const recheckAt = failedSince + ROLL_BACK_AFTER_MS;
  if (now < recheckAt) return { recheckAt };
  return { cause: { gate: `${rule.policy}/onFailure`, reason: state.failedText } };
}

/**
 * The target that an entry gets, depending on whether the content that the entry requests is rejected:
 * - `Wanted`: the content is not rejected, or the entry completed it before another entry failed with it and therefore keeps it;
 * - `Stay`: the entry keeps its current target;
 * - `Back`: the entry leaves the rejected content for the latest earlier target that completed;
 * - `Nowhere`: no earlier target completed, so no cluster is admitted.
 */
export type TargetChoice =
  | { readonly type: 'Wanted' }
  | { readonly type: 'Stay' | 'Back'; readonly target: RolloutTarget; readonly rejection: RejectedContent }
  | { readonly type: 'Nowhere'; readonly rejection: RejectedContent };

const WANTED: TargetChoice = { type: 'Wanted' };

export function targetUnderRejections(
  entry: RolloutEntry | undefined,
  wanted: RolloutTarget,
  find: (revision: number) => RolloutTarget | undefined,
  rejections: Rejections,
): TargetChoice {
  const rejection = rejections.of(wanted);
  if (!rejection) return WANTED;
  const current = entry?.targetRevision === undefined ? undefined : find(entry.targetRevision);
  const isProven = current !== undefined && entry?.completedRevision === current.revision;
  if (current && isProven && current.revision === wanted.revision) return WANTED;
  if (current && (isProven || !rejections.of(current))) return { type: 'Stay', target: current, rejection };
  const target = entry && previousTarget(entry, find, rejections);
  return target ? { type: 'Back', target, rejection } : { type: 'Nowhere', rejection };
}

/** The targets of an entry after rejections are taken into account. */
export interface ChosenTargets extends EntryTargets {
  /** The automatic rollback that set the target. */
  readonly rolledBack?: RollBack | undefined;
  /** The rejection that prevents the entry from moving to the content that the declaration requests. */
  readonly rejection?: RejectedContent | undefined;
}

/** Replaces the targets of an entry that requests rejected content. All add-ons of the entry go back to the same revision. */
export function withRejections(
  targets: EntryTargets,
  {
    entry,
    find,
    rejections,
    at,
  }: {
    readonly entry: RolloutEntry | undefined;
    readonly find: (revision: number | undefined) => RolloutTarget | undefined;
    readonly rejections: Rejections;
    readonly at: string;
  },
): ChosenTargets {
  const { target: wanted, goneDefault } = targets;
  if (!wanted) return targets;
  const choice = targetUnderRejections(entry, wanted, find, rejections);
  if (choice.type === 'Wanted') return targets;
  const { rejection } = choice;
  const gone = goneDefault === undefined ? {} : { goneDefault };
  const recorded = (target: RolloutTarget): Pick<EntryTargets, 'handMade' | 'ownConfigs'> => ({
    handMade: find(entry?.handMadeRevision) ?? target,
    ownConfigs: find(entry?.ownConfigsRevision) ?? target,
  });
  if (choice.type === 'Nowhere') {
    const problem = `the content is rejected: ${rejection.reason}`;
    const current = find(entry?.targetRevision);
    return current ? { target: current, ...recorded(current), problem, rejection, ...gone } : { ...targets, problem, rejection };
  }
  const { target } = choice;
  if (choice.type === 'Stay') {
    return { target, ...recorded(target), problem: undefined, rejection, rolledBack: entry?.rolledBack, ...gone };
  }
  const rolledBack = { from: entry?.targetRevision ?? wanted.revision, to: target.revision, at, reason: rejection.reason };
  return { target, handMade: target, ownConfigs: target, problem: undefined, rejection, rolledBack, ...gone };
}

/** Returns the entry's latest earlier target that completed and whose content is stored and not rejected. */
export function previousTarget(
  entry: RolloutEntry,
  find: (revision: number) => RolloutTarget | undefined,
  rejections: Rejections,
): RolloutTarget | undefined {
  const { timeline = [], targetRevision } = entry;
  const completed = completedChanges(timeline).flatMap(({ to }) => (to === targetRevision ? [] : [to]));
  const candidates = completed.length > 0 ? completed : [wayBack(entry)];
  for (const revision of candidates) {
    const target = revision === undefined ? undefined : find(revision);
    if (target && !rejections.of(target)) return target;
  }
  return undefined;
}

/**
 * The strategy of an automatic way back. All clusters of the entry form one group without soak. If the policy sets no budget, the entry's
 * strategy determines it: all clusters at once for All, the size of a decision group for ProgressivePerGroup. A budget of 0, which an earlier
 * version accepted as a text, counts as none, because no cluster would ever go back.
 */
export function wayBackStrategy(strategy: Strategy, rule: Pick<RollBackRule, 'maxConcurrency'> | undefined): Strategy {
  const wanted = readAmount(rule?.maxConcurrency);
  const budget = wanted && amountOf(wanted, Number.MAX_SAFE_INTEGER) > 0 ? wanted : undefined;
  if (strategy.type === 'All' && budget === undefined) return strategy;
  return {
    type: 'Progressive',
    minSuccessMs: 0,
    progressDeadlineMs: strategy.progressDeadlineMs,
    maxFailures: strategy.maxFailures,
    maxConcurrency: budget ?? strategy.maxConcurrency,
    mandatoryGroups: [],
  };
}

/**
 * The order in which clusters go back: first failed clusters, then clusters that were in flight, then clusters that had succeeded, and last
 * clusters that do not have the rejected revision.
 */
const WAY_BACK_ORDER = { failed: 0, inFlight: 1, succeeded: 2, unmoved: 3 } as const;

/** The part of a cluster's report about the rejected revision that determines when the cluster goes back. */
interface LeftReport {
  /** Whether the cluster has the rejected revision. */
  readonly atTarget: boolean;
  readonly isDone: boolean;
  readonly isAvailable: boolean;
  /** The time at which the cluster reported that it is done. */
  readonly doneAt: number;
}

/**
 * Returns the position of a cluster in the queue of an automatic way back. A cluster that became done less than minSuccessTime before the
 * entry went back was still soaking, so it counts as in flight.
 */
export function wayBackRank(left: LeftReport, forward: Pick<Strategy, 'minSuccessMs'>, wentBackAt: number): number {
  if (!left.atTarget) return WAY_BACK_ORDER.unmoved;
  if (!left.isDone) return WAY_BACK_ORDER.failed;
  const wasSoaking = !left.isAvailable || left.doneAt + forward.minSuccessMs > wentBackAt;
  return wasSoaking ? WAY_BACK_ORDER.inFlight : WAY_BACK_ORDER.succeeded;
}
