import type { RolloutTarget } from '@outrigger/api';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import { type PinnedRef, isTemplate, toRef } from '../configuration/references.js';
import { remember } from '../remember.js';

/** Everything about an add-on that comes from the fleet: what a rollout moves clusters between. */
export interface RevisionContent {
  /** Empty for an add-on without versions. */
  readonly version: string;
  /** Sorted by kind; the template is one of them. */
  readonly configs: readonly PinnedRef[];
  readonly renderer: number;
}

/** Equal content, equal digest: going back to earlier content is going back to the earlier revision. */
export function revisionDigest({ version, configs, renderer }: RevisionContent): string {
  const refs = configs.map(({ group, resource, namespace, name, specHash }) => ({ group, resource, namespace, name, specHash }));
  return sha256Hex(canonicalJson({ version, configs: refs, renderer }));
}

/** Whether a target names a version that nobody offers: it has no template, and clusters let go to it keep what they run. */
export function isVersionOnly(target: RolloutTarget): boolean {
  return (target.version ?? '') !== '' && !targetRefs(target).some(isTemplate);
}

/** What a recorded target consists of. */
export const targetRefs: (target: RolloutTarget) => readonly PinnedRef[] = remember(({ configs = [] }: RolloutTarget) =>
  configs.map((ref) => ({ ...toRef(ref), specHash: ref.specHash })),
);
