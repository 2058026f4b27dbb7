import { timeOf } from './adapters/time.js';
import type { LogEntry, ObjectHistory, Violation } from './log.js';
import {
  KIND,
  type RecordStatus,
  type RecordedEntry,
  type Rejected,
  type Revision,
  type RolloutSpec,
  decisionsOf,
  governingPolicies,
  specOf,
  statusOf,
} from './reading.js';

/**
 * rollout-policy.md, way back: checks when an entry rolls back automatically and to which target, and that the entry does not return to the
 * content that failed.
 */
export class RollBacks {
  readonly #history: ObjectHistory;
  /** For each record, entry and rejected content, the number of times that the entry rolled back from that content. */
  readonly #counts = new Map<string, number>();

  constructor(history: ObjectHistory) {
    this.#history = history;
  }

  judge({ kind, id, pass, before, after, index }: LogEntry): readonly Violation[] {
    if (kind !== KIND.rollouts || pass?.controller !== 'fleet' || !after) return [];
    const was = statusOf<RecordStatus>(before);
    const is = statusOf<RecordStatus>(after);
    const spec = specOf<RolloutSpec>(this.#history.get(KIND.rollouts, id, pass.seen[KIND.rollouts])) ?? {};
    const decisions = decisionsOf(this.#history, id, pass.seen[KIND.approvals]);
    const retries = decisions.filter(({ decision }) => decision === 'Retried');
    const isLifted = ({ gate, revision, at }: Rejected): boolean =>
      retries.some((retry) => retry.gate === gate && retry.revision === revision && retry.at >= timeOf(at));
    const policies = governingPolicies(this.#history, id, pass.seen[KIND.policies]);
    const standing = (was.entries ?? []).flatMap(({ rejected = [] }) => rejected).filter((one) => !isLifted(one));
    const found: Violation[] = [];
    const hasPin = (entry: string): boolean =>
      spec.pinnedRevision !== undefined || spec.pinnedEntries?.some(({ name }) => name === entry) === true;
    for (const entry of is.entries ?? []) {
      const old = was.entries?.find(({ name }) => name === entry.name);
      const fail = (rule: string, message: string): void => void found.push({ rule, message: `${id} ${entry.name}: ${message}`, index });
      const isPinned = hasPin(entry.name);
      const target = contentOf(is.history, entry.targetRevision);
      const isMoved = old?.targetRevision !== entry.targetRevision;
      const rejected = standing.find(({ revision }) => contentOf(is.history, revision) === target);
      // A new entry has no target to go back to, so it only names the rejected content and must not admit a cluster.
      const isTaken = old !== undefined || (entry.inFlight ?? []).some(({ revision }) => revision === entry.targetRevision);
      if (isMoved && isTaken && !isPinned && target !== undefined && rejected)
        fail('rejected content', `the target becomes revision ${entry.targetRevision ?? 0}, whose content is rejected: ${rejected.reason}`);
      for (const one of entry.rejected ?? []) {
        if (old?.rejected?.some(({ digest, at }) => digest === one.digest && at === one.at)) continue;
        if (was.entries?.some(({ rejected: others = [] }) => others.some(({ digest, at }) => digest === one.digest && at === one.at)))
          continue;
        // The first policy by name with `onFailure` determines whether content is rejected, even if the analysis of another policy failed.
        const policy = policies.find(({ spec: { onFailure } }) => onFailure !== undefined);
        if (policy?.spec.onFailure?.action !== 'RollBack')
          fail('roll back', `revision ${one.revision ?? 0} is rejected without a policy that asks for it`);
        // Every entry lists every rejection. A rejection is correct if at least one entry without a pin had the rejected content as its
        // target, and at least one entry was still in flight to that content.
        const isFollowed = was.entries?.some(({ name, targetRevision }) => targetRevision === one.revision && !hasPin(name));
        if (isPinned && !isFollowed) fail('roll back', `revision ${one.revision ?? 0} is rejected although it is pinned`);
        const isOnItsWay = was.entries?.some((other) => other.targetRevision === one.revision && !wasAchieved(other, one.revision));
        if (old && wasAchieved(old, one.revision) && !isOnItsWay)
          fail('roll back', `revision ${one.revision ?? 0} is rejected although it completed`);
      }
      const back = entry.rolledBack;
      if (!back || old?.rolledBack?.at === back.at) continue;
      if (!hasCompleted(entry, back.to)) fail('roll back', `goes back to revision ${back.to}, which never completed`);
      const name = `${after.metadata.uid ?? ''} ${entry.name} ${contentOf(is.history, back.from) ?? back.from}`;
      const count = (this.#counts.get(name) ?? 0) + 1;
      this.#counts.set(name, count);
      if (count > 1 + retries.length) fail('loop of rollbacks', `goes back from revision ${back.from} for the ${count}th time`);
    }
    return found;
  }
}

function wasAchieved({ completedRevision, targetRevision }: RecordedEntry, revision: number | undefined): boolean {
  return revision !== undefined && targetRevision === revision && completedRevision === revision;
}

function hasCompleted({ timeline = [], completedRevision }: RecordedEntry, revision: number): boolean {
  return completedRevision === revision || timeline.some(({ to, outcome }) => to === revision && outcome === 'Completed');
}

/** The content of a revision, without its number and the number of its renderer. */
function contentOf(revisions: readonly Revision[] | undefined, revision: number | undefined): string | undefined {
  const found = revisions?.find((one) => one.revision === revision);
  return found && JSON.stringify([found.version, found.configs?.map(({ resource, name, specHash }) => [resource, name, specHash])]);
}
