import { ApiError, toTime, type KubeObject, type OwnerReference } from '@outrigger/core';
import type { Draft } from '../../registry/draft.js';
import type { RequestContext } from '../context.js';

/** Letters and digits that form no words and are not easily confused with one another. */
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_GENERATED_PREFIX = 63 - SUFFIX_LENGTH;

export function nowOf(context: RequestContext): string {
  return toTime(context.server.runtime.clock.now());
}

/** Sets the metadata that only the server may set, and removes metadata that a client may not set. */
export function stampCreated(context: RequestContext, draft: Draft): void {
  const { metadata } = draft;
  const { resource, server } = context;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  delete metadata.generation;
  metadata.creationTimestamp = nowOf(context);
  metadata.uid = server.runtime.random.uuid();
  if (resource.isCustom || resource.strategy.hasGeneration) metadata.generation = 1;
}

/** Generates a name: the prefix, truncated so that the result is a valid DNS label, plus five random characters. */
export function generatedName(context: RequestContext, prefix: string): string {
  const { random } = context.server.runtime;
  const suffix = Array.from({ length: SUFFIX_LENGTH }, () => SUFFIX_ALPHABET[Math.floor(random.next() * SUFFIX_ALPHABET.length)]);
  return prefix.slice(0, MAX_GENERATED_PREFIX) + suffix.join('');
}

/**
 * Sets the object's namespace to that of the request. A namespace in a cluster-scoped object is dropped, as on a real server, because
 * manifests often have one.
 */
export function assignNamespace(context: RequestContext, draft: Draft): void {
  assertNamespace(context, draft);
  if (context.resource.namespaced) draft.metadata.namespace = context.path.namespace;
  else delete draft.metadata.namespace;
}

/** Throws if the object names a different namespace than the request. An object may omit its namespace. */
export function assertNamespace({ resource, path }: RequestContext, draft: Draft): void {
  const own = draft.metadata.namespace ?? '';
  if (!resource.namespaced || own === '' || own === path.namespace) return;
  throw new ApiError('BadRequest', 'the namespace of the provided object does not match the namespace sent on the request');
}

/**
 * Removes owner references that are named twice, as a real server does, and warns the caller. References to one owner that differ in another
 * field are kept.
 */
export function dedupeOwners({ warnings }: RequestContext, { metadata }: Draft): void {
  const { ownerReferences } = metadata;
  if (!ownerReferences || ownerReferences.length < 2) return;
  const kept = new Map<string, OwnerReference>();
  const uids: string[] = [];
  for (const owner of ownerReferences) {
    const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = owner;
    const identity = JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion]);
    if (kept.has(identity)) uids.push(uid);
    else kept.set(identity, owner);
  }
  if (uids.length === 0) return;
  metadata.ownerReferences = [...kept.values()];
  warnings.push(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids.join(', ')}`,
  );
}

export function assertName(context: RequestContext, draft: Draft): void {
  const own = draft.metadata.name ?? '';
  const { name } = context.path;
  if (own === '')
    throw new ApiError('BadRequest', `the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (own !== name) throw new ApiError('BadRequest', `the name of the object (${own}) does not match the name on the URL (${name})`);
}

/**
 * Copies system fields of the stored object to the draft of an update: `creationTimestamp`, `generation` and `deletionTimestamp` always,
 * the uid and the grace period only if the draft has none. Validation refuses a draft whose uid, deletionTimestamp or grace period still
 * differs.
 */
export function keepSystemFields(draft: Draft, old: KubeObject): void {
  const { metadata } = draft;
  delete metadata.selfLink;
  for (const field of ['creationTimestamp', 'generation'] as const) {
    if (old.metadata[field] === undefined) delete metadata[field];
    else Object.assign(metadata, { [field]: old.metadata[field] });
  }
  if (old.metadata.deletionTimestamp !== undefined) metadata.deletionTimestamp = old.metadata.deletionTimestamp;
  if (old.metadata.deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds ??= old.metadata.deletionGracePeriodSeconds;
  if ((metadata.uid ?? '') === '' && old.metadata.uid !== undefined) metadata.uid = old.metadata.uid;
}
