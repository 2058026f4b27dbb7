import type { KubeObject } from '@outrigger/core';
import type { Draft, Fields } from '../../registry/draft.js';
import type { Resource, Strategy } from '../../registry/resource.js';

/**
 * Restores, from the stored object, the parts that a write may not change. If status is a subresource, a write to the object itself cannot
 * change it. A write to `status` can change only status and, for most built-in kinds, also metadata such as labels, as on a real server.
 */
export function keepOtherParts(resource: Resource, draft: Draft, old: KubeObject, subresource: string): void {
  if (!resource.subresources.has('status')) return;
  if (subresource === 'status') keepAllButStatus(resource, draft, old);
  else if (subresource === '') take(draft, old, 'status');
}

function keepAllButStatus(resource: Resource, draft: Draft, old: KubeObject): void {
  for (const field of new Set([...Object.keys(draft), ...Object.keys(old)])) {
    if (field !== 'status' && field !== 'metadata') take(draft, old, field);
  }
  const kept = keptByStatus(resource);
  if (kept === 'metadata') keepMetadata(draft, old);
  else for (const field of kept) takeMetadata(draft, old, field);
}

/** Returns the metadata that a write to `status` cannot change. For custom objects, this is all of the metadata. */
export function keptByStatus({ isCustom, strategy }: Pick<Resource, 'isCustom' | 'strategy'>): NonNullable<Strategy['statusKeeps']> {
  return isCustom ? 'metadata' : (strategy.statusKeeps ?? []);
}

/** Restores the metadata, except resourceVersion and managedFields. */
function keepMetadata(draft: Draft, old: KubeObject): void {
  const { managedFields, resourceVersion } = draft.metadata;
  const { managedFields: _, resourceVersion: __, ...kept } = old.metadata as Draft['metadata'];
  draft.metadata = {
    ...kept,
    ...(managedFields === undefined ? {} : { managedFields }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

function takeMetadata(draft: Draft, old: KubeObject, field: 'labels' | 'ownerReferences'): void {
  const { [field]: value } = old.metadata as Draft['metadata'];
  if (value === undefined) delete draft.metadata[field];
  else Object.assign(draft.metadata, { [field]: value });
}

function take(draft: Draft, old: KubeObject, field: string): void {
  const fields = old as unknown as Fields;
  if (Object.hasOwn(fields, field)) draft[field] = fields[field];
  else delete draft[field];
}
