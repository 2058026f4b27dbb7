import { manifestWorks } from '@outrigger/api';
import type { Decision, Now } from '@outrigger/kube';
import { HUB } from '../../../resources/base.js';
import type { FinishedWorkProjection } from '../../../resources/finished-works.js';

/** Deletes a completed work after the time in its `deleteOption`. The agent then removes the objects of the work. */
export function decide({ key, uid, isDeleting, ttlSeconds, completedAt }: FinishedWorkProjection, now: Now): Decision {
  if (isDeleting || ttlSeconds === undefined || completedAt === undefined) return { stages: [] };
  const leftMs = completedAt + ttlSeconds * 1000 - now.wall;
  if (leftMs > 0) return { stages: [], requeueAfterMs: leftMs };
  return {
    stages: [[{ type: 'delete', id: 'work', api: HUB, kind: manifestWorks, key, precondition: { uid }, accept: ['NotFound', 'Conflict'] }]],
  };
}
