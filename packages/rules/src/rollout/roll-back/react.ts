import type { RejectedContent, RolloutEntry, RolloutTarget } from '@outrigger/api';
import { countText, parseTime } from '@outrigger/core';
import type { TargetHistory } from '../../revisions/target-history.js';
import type { StepDecision } from '../decide.js';
import type { ActivityTimes } from '../observe/cached-cluster.js';
import { contentDigest, type Rejections } from './rejections.js';
import { decideRollBack, type RollBackCause, type RollBackRule } from './roll-back.js';

interface FailureContext {
  readonly rollBack: RollBackRule | undefined;
  readonly history: Pick<TargetHistory, 'find'>;
  readonly rejections: Rejections;
  readonly stopwatch: ActivityTimes;
  readonly now: { readonly wall: number; readonly time: string };
}

interface FailedStep {
  readonly target: RolloutTarget;
  readonly before: RolloutEntry | undefined;
  readonly isPinned: boolean;
  readonly isPaused: boolean;
  readonly isWayBack: boolean;
  readonly decision: Pick<StepDecision, 'counts' | 'hasTooManyFailed' | 'gating'>;
}

/** Decides whether the entry rolls back automatically, and determines the time since which too many clusters have failed. */
export function reactToFailures(
  { rollBack, history, rejections, stopwatch, now }: FailureContext,
  name: string,
  { decision, before, ...step }: FailedStep,
): {
  readonly failedSince: string | undefined;
  readonly recheckAt: number | undefined;
  /** The content of the target, if it is rejected because the entry rolls back. */
  readonly rejects: RejectedContent | undefined;
} {
  const { failed } = decision.counts;
  const isCounting = rollBack !== undefined && decision.hasTooManyFailed;
  const recorded = before?.targetRevision === step.target.revision ? before.failedSince : undefined;
  const since = isCounting ? (recorded ?? now.time) : undefined;
  const reaction = decideRollBack({
    ...step,
    rule: rollBack,
    entry: before,
    failedSince: since === undefined ? undefined : stopwatch.since('failed', name, parseTime(since) ?? now.wall),
    failedText: `${countText(failed, 'cluster')} failed, more than maxFailures tolerates`,
    analysis: decision.gating?.failure,
    find: (revision) => history.find(revision),
    rejections,
    now: now.wall,
  });
  const { recheckAt, cause } = reaction;
  const isExpected = recheckAt !== undefined || cause !== undefined;
  return { failedSince: isExpected ? since : undefined, recheckAt, rejects: cause && rejectionOf(step.target, cause, now.time) };
}

function rejectionOf(target: RolloutTarget, { gate, reason }: RollBackCause, at: string): RejectedContent {
  return { digest: contentDigest(target), revision: target.revision, gate, reason, at };
}
