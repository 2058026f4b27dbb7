import { MANIFEST_MESSAGES, RENDER_MESSAGES } from '@outrigger/api';
import { asJson, assertNever, conditionStatus, findCondition, isConditionTrue } from '@outrigger/core';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import type { Now } from '@outrigger/kube';
import { isReported, waitMs } from './attempts.js';
import { type PermissionCheck, readCheck, refusalMessage } from './executor/check.js';
import type { ManifestState, WritableWork } from './state.js';
import type { Step, Write } from './strategy/situation.js';
import { nextStep } from './strategy/strategy.js';

/** The result of one pass for one manifest. */
export type Verdict =
  /** The state of the object is not known yet, so no action or report is possible. */
  | { readonly type: 'waiting'; readonly retryInMs?: number }
  /** The work is complete, so the agent no longer writes its objects, and the Applied condition stays. */
  | { readonly type: 'frozen' }
  | { readonly type: 'settled' }
  | {
      readonly type: 'failed';
      readonly reason: 'AppliedManifestFailed' | 'AppliedManifestSSAIgnoreFieldError';
      readonly message: string;
      readonly retryInMs?: number;
    }
  /** The executor's permissions must be checked first. */
  | { readonly type: 'ask'; readonly check: PermissionCheck }
  | {
      readonly type: 'write';
      readonly write: Write;
      readonly content: string;
      /**
       * Whether the object may differ from the manifest only because the API server normalizes it: an earlier process of the agent has
       * applied this generation. The agent then sends a dry run first, and writes only if the dry run changes the object.
       */
      readonly isDoubtful: boolean;
    };

/** A manifest identifies its object by name. With generateName, the agent could not tell whether the object exists. */
const NAMELESS = 'the manifest has no metadata.name, and generateName cannot take its place';
const WAITING: Verdict = { type: 'waiting' };
const SETTLED: Verdict = { type: 'settled' };

/**
 * Returns the verdict on a manifest. It checks, in this order, whether the state is known, whether the agent may write, whether a write is
 * needed, and whether it is due.
 */
export function verdictOf(manifest: ManifestState, state: WritableWork, now: Now): Verdict {
  const { lookup, live, treatment, duplicateOf, before, check } = manifest;
  const isComplete = isConditionTrue(state.work.status.conditions, 'Complete');
  if (check && manifest.reading === 'unasked') {
    return { type: 'ask', check: isComplete || isAppliedAt(manifest, state) ? readCheck(check) : check };
  }
  if (isComplete) return { type: 'frozen' };
  if (lookup.state === 'unknown') return WAITING;
  if (lookup.state === 'unserved') {
    const retryInMs = Math.max(1, lookup.askAgainAt - now.monotonic);
    return failed(MANIFEST_MESSAGES.notServed(manifest.manifest.object.kind), retryInMs);
  }
  if (!manifest.manifest.object.metadata.name) return failed(NAMELESS);
  const { inexactInteger } = manifest.manifest;
  if (inexactInteger !== undefined) return failed(`${inexactInteger} ${RENDER_MESSAGES.inexactInteger}`);
  if (duplicateOf !== undefined) return failed(MANIFEST_MESSAGES.duplicate(duplicateOf, manifest.ordinal));
  if (manifest.reading === 'refused') return permit(manifest, now) ?? WAITING;
  // This manifest is complete (a Job that has run), but the other manifests of the work are still applied.
  if (isConditionTrue(before?.conditions, 'Complete')) return SETTLED;
  if (treatment.strategy.type !== 'ReadOnly') {
    if (live.state === 'unknown') return WAITING;
    if (live.state === 'unreadable') return failed(live.error);
  }
  const content = contentOf(manifest);
  const step = stepOf(manifest, state, content);
  const denial = step.type === 'write' || !isAppliedAt(manifest, state) ? permit(manifest, now) : undefined;
  if (denial) return denial;
  return step.type === 'write'
    ? inTime(manifest, { write: step.write, content, isDoubtful: isDoubtful(manifest, step.write, state) }, now)
    : step;
}

function isDoubtful(manifest: ManifestState, write: Write, state: WritableWork): boolean {
  return manifest.attempt === undefined && isAppliedAt(manifest, state) && (write.type === 'replace' || write.type === 'apply');
}

function failed(message: string, retryInMs?: number): Verdict {
  return { type: 'failed', reason: 'AppliedManifestFailed', message, ...(retryInMs === undefined ? {} : { retryInMs }) };
}

function stepOf(manifest: ManifestState, state: WritableWork, content: string): Step {
  const { live, attempt, isOwned, treatment } = manifest;
  if (live.state !== 'present' && live.state !== 'absent') return { type: 'settled' }; // A ReadOnly manifest counts as applied in any state.
  const done = attempt?.content === content && attempt.outcome.type === 'done' ? attempt.outcome : undefined;
  return nextStep(treatment.strategy, {
    manifest: manifest.manifest.object,
    live,
    owner: state.owner,
    isOwned,
    isWritten: done !== undefined || isAppliedAt(manifest, state),
    after: done?.after,
  });
}

/** Whether the status reports that this generation of the manifest was applied. Unlike `attempt`, this survives a restart. */
export function isAppliedAt({ before }: ManifestState, { work }: WritableWork): boolean {
  const applied = findCondition(before?.conditions, 'Applied');
  return applied?.status === 'True' && applied.observedGeneration === work.generation;
}

/** Returns the reason why the executor's permissions do not allow the write now, or undefined if they allow it. */
function permit({ check, permission, ref }: ManifestState, now: Now): Verdict | undefined {
  if (!check || !ref) return undefined;
  if (!permission) return { type: 'ask', check };
  switch (permission.type) {
    case 'allowed':
      return undefined;
    case 'denied':
    case 'escalation':
      return failed(refusalMessage(permission.type, ref), Math.max(1, permission.askAgainAt - now.monotonic));
    case 'unclear':
      return failed(permission.error, Math.max(1, permission.askAgainAt - now.monotonic));
    default:
      return assertNever(permission);
  }
}

/** Returns the write, or a wait if the write must not be repeated yet because it failed or another writer keeps reverting it. */
function inTime({ attempt }: ManifestState, due: Omit<Extract<Verdict, { readonly type: 'write' }>, 'type'>, now: Now): Verdict {
  const retryInMs = attempt?.content === due.content ? waitMs(attempt, now.monotonic) : 0;
  if (!attempt || retryInMs <= 0) return { type: 'write', ...due };
  const { outcome } = attempt;
  return outcome.type === 'failed' && isReported(outcome) ? failed(outcome.message, retryInMs) : { type: 'waiting', retryInMs };
}

/** Returns a digest of everything that determines the write of a manifest, except the live object. */
function contentOf({ manifest, treatment, isOwned }: ManifestState): string {
  if (treatment.strategy.type === 'Update') return `${manifest.digest}/Update/${isOwned}`;
  return sha256Hex(canonicalJson([manifest.digest, asJson(treatment.strategy), isOwned]));
}

/** Whether the status has an Applied condition. Without one, the agent removes no leftovers. */
export function wasApplied({ work }: WritableWork): boolean {
  return conditionStatus(work.status.conditions, 'Applied') !== undefined;
}
