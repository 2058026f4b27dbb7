import { parseTime, toTime, type KubeObject } from '@outrigger/core';
import type { Draft } from '../../registry/draft.js';
import type { DeleteOptions } from '../../request/delete-options.js';
import type { RequestContext } from '../context.js';
import { draftOf } from './update.js';
import { strategyContext } from './validate.js';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** Returns the object after a deletion request, or undefined if the object is already being deleted and the request changes nothing. */
export function markDeleted(context: RequestContext, old: KubeObject, options: DeleteOptions): Draft | undefined {
  const draft = draftOf(old);
  const { metadata } = draft;
  const { markDeleting } = context.resource.strategy;
  const finalizers = dependentFinalizers(context, old, options);
  const isFirst = old.metadata.deletionTimestamp === undefined;
  const grace = graceOf(context, old, options);
  const shortens = !isFirst && grace < (old.metadata.deletionGracePeriodSeconds ?? 0);
  const before = new Set(old.metadata.finalizers);
  const sameFinalizers = finalizers.length === (old.metadata.finalizers ?? []).length && finalizers.every((name) => before.has(name));
  if (!isFirst && !shortens && sameFinalizers) return undefined;

  if (finalizers.length === 0) delete metadata.finalizers;
  else if (!sameFinalizers) metadata.finalizers = finalizers;
  if (isFirst || shortens) {
    const base = isFirst ? context.server.runtime.clock.now() : startOf(old);
    metadata.deletionTimestamp = toTime(base + grace * 1000);
    if (!markDeleting) metadata.deletionGracePeriodSeconds = grace;
  }
  // The generation counts the request to delete, not a later request with a shorter grace period.
  if (isFirst && !markDeleting && metadata.generation) metadata.generation++;
  if (isFirst) markDeleting?.(draft, strategyContext(context));
  return draft;
}

/** Returns the time at which the deletion was requested, which is the deletionTimestamp minus the grace period. */
function startOf({ metadata }: KubeObject): number {
  return (parseTime(metadata.deletionTimestamp) ?? 0) - 1000 * (metadata.deletionGracePeriodSeconds ?? 0);
}

function graceOf({ resource }: RequestContext, old: KubeObject, options: DeleteOptions): number {
  return resource.strategy.gracePeriodSeconds?.(old, options.gracePeriodSeconds) ?? 0;
}

/** Returns the finalizers of a deleted object. They record the propagation policy; the garbage collector acts on them and removes them. */
function dependentFinalizers({ resource }: RequestContext, old: KubeObject, { propagation }: DeleteOptions): string[] {
  const present = old.metadata.finalizers ?? [];
  const kept = present.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  if (propagation === undefined) {
    const isUndecided = kept.length === present.length;
    return resource.strategy.defaultPropagation === 'Orphan' && isUndecided ? [...kept, ORPHAN] : [...present];
  }
  if (propagation === 'Orphan') return [...kept, ORPHAN];
  return propagation === 'Foreground' ? [...kept, FOREGROUND] : kept;
}
