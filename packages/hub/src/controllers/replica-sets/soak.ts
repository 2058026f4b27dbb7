import { keyOf, keyString } from '@outrigger/core';
import type { Action, Now } from '@outrigger/kube';
import type { ReplicaSetWorkProjection } from '../../resources/replica-set-works.js';
import type { WorkProgress } from './progress.js';

/**
 * The state of one work as this process observed it last: its generation, and the time since which it has succeeded. The time is undefined
 * if the work has not succeeded.
 */
interface SeenWork {
  readonly generation: number;
  readonly succeededSince: number | undefined;
}

/** The works that earlier passes of this process have observed or written, by namespace and name. */
export type SeenWorks = ReadonlyMap<string, SeenWork>;

/**
 * Sets the time from which the soak of a work counts. An agent may write the status and the annotations of its works. If a work succeeds
 * while this process runs, the soak therefore counts from the first pass that observes the success. If the work had succeeded before this
 * process first observed it, the soak counts from the times in the work. Otherwise every new leader would start the soak again, and the
 * soak might never end.
 */
export function withSoak(work: ReplicaSetWorkProjection, progress: WorkProgress, seen: SeenWorks, now: Now): WorkProgress {
  if (progress.phase !== 'succeeded') return progress;
  const before = seen.get(keyString(work.key));
  if (!before) return { ...progress, since: Math.min(progress.since, now.wall) };
  const isSame = before.generation === work.generation && before.succeededSince !== undefined;
  return { ...progress, since: isSame ? (before.succeededSince ?? now.wall) : now.wall };
}

/**
 * Returns the observed works for the next pass. A work that this pass writes counts as not succeeded, even if its next report says that it
 * had succeeded before.
 */
export function nextSeen(
  works: readonly { readonly work: ReplicaSetWorkProjection; readonly progress: WorkProgress }[],
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
