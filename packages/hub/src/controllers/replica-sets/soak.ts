import { keyOf, keyString } from '@outrigger/core';
import type { Action, Now } from '@outrigger/kube';
import type { ReplicaSetWorkRecord } from '../../resources/replica-set-works.js';
import type { WorkProgress } from './progress.js';

/** What this process has seen of one work: the generation, and since when it has succeeded; undefined while it has not. */
interface SeenWork {
  readonly generation: number;
  readonly succeededSince: number | undefined;
}

/** The works that earlier passes of this process have seen or written, by namespace and name. */
export type SeenWorks = ReadonlyMap<string, SeenWork>;

/**
 * Dates the success of a work for its soak. An agent may write the status and the annotations of its works, so a success that happens while
 * this process runs counts from the pass that sees it first. Only of a work that had succeeded before this process saw it do the written
 * times count, because a soak that started again with every leader might never end.
 */
export function withSoak(work: ReplicaSetWorkRecord, progress: WorkProgress, seen: SeenWorks, now: Now): WorkProgress {
  if (progress.phase !== 'succeeded') return progress;
  const before = seen.get(keyString(work.key));
  if (!before) return { ...progress, since: Math.min(progress.since, now.wall) };
  const isSame = before.generation === work.generation && before.succeededSince !== undefined;
  return { ...progress, since: isSame ? (before.succeededSince ?? now.wall) : now.wall };
}

/** Returns what the next pass has to know. A work that this pass writes has not succeeded yet, whatever its agent reports first. */
export function nextSeen(
  works: readonly { readonly work: ReplicaSetWorkRecord; readonly progress: WorkProgress }[],
  writes: readonly Action[],
): SeenWorks {
  const seen = new Map<string, SeenWork>();
  for (const { work, progress } of works) {
    const succeededSince = progress.phase === 'succeeded' ? progress.since : undefined;
    seen.set(keyString(work.key), { generation: work.generation, succeededSince });
  }
  for (const write of writes) {
    if (write.type === 'create') seen.set(keyString(keyOf(write.object)), NOT_SUCCEEDED);
    else if (write.type === 'patch' && write.patch['spec'] !== undefined) seen.set(keyString(write.key), NOT_SUCCEEDED);
  }
  return seen;
}

const NOT_SUCCEEDED: SeenWork = { generation: 0, succeededSince: undefined };
