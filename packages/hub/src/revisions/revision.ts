import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import type { PinnedRef } from '../configuration/references.js';

/** Everything about an add-on that comes from the fleet: what a rollout moves clusters between. */
export interface RevisionContent {
  /** Empty for an add-on without versions. */
  readonly version: string;
  /** Sorted by kind; the template is one of them. */
  readonly configs: readonly PinnedRef[];
  readonly renderer: number;
}

/** A revision with its number in the history of its add-on. */
export interface Revision extends RevisionContent {
  readonly revision: number;
  readonly digest: string;
}

/** Equal content, equal digest: going back to earlier content is going back to the earlier revision. */
export function revisionDigest({ version, configs, renderer }: RevisionContent): string {
  const refs = configs.map(({ group, resource, namespace, name, specHash }) => ({ group, resource, namespace, name, specHash }));
  return sha256Hex(canonicalJson({ version, configs: refs, renderer }));
}
