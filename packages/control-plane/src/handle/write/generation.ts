import { deepEqual, type KubeObject } from '@outrigger/core';
import type { Draft, Fields } from '../../registry/draft.js';
import type { Resource } from '../../registry/resource.js';

/**
 * Increments the generation if the desired state has changed. For built-in kinds, the desired state is the spec. For custom kinds, it is
 * all fields except metadata, and except status if status is a subresource.
 */
export function nextGeneration(resource: Resource, draft: Draft, old: KubeObject, subresource: string): void {
  const { generation } = old.metadata;
  if (generation === undefined || !(resource.isCustom || resource.strategy.hasGeneration)) return;
  const changed = resource.isCustom
    ? !deepEqual(desired(resource, draft), desired(resource, old))
    : specChanged(draft, old) ||
      (resource.strategy.countsAnnotations === true && subresource !== 'status' && annotationsChanged(draft, old));
  if (changed) draft.metadata.generation = generation + 1;
}

function annotationsChanged({ metadata }: Draft, old: KubeObject): boolean {
  return !deepEqual(metadata.annotations ?? {}, old.metadata.annotations ?? {});
}

/** Whether the spec has changed. For kinds without a spec (webhook configurations), all fields except metadata are treated as the spec. */
function specChanged(draft: Draft, old: KubeObject): boolean {
  const before = old as unknown as Fields;
  if ('spec' in draft || 'spec' in before) return !deepEqual(draft['spec'], before['spec']);
  const { metadata: _, ...rest } = draft;
  const { metadata: __, ...oldRest } = before;
  return !deepEqual(rest, oldRest);
}

function desired(resource: Resource, object: object): Fields {
  const { metadata: _, ...rest } = object as Fields;
  if (!resource.subresources.has('status')) return rest;
  const { status: __, ...withoutStatus } = rest;
  return withoutStatus;
}
