import { memoize, memoizeText } from '@outrigger/core';
import type { RolloutTarget } from '@outrigger/api';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import { type PinnedRef, groupResource, isTemplate, refKey, toRef, TEMPLATE_KIND } from '../configuration/references.js';

/** The content of a revision. A rollout moves clusters from one revision to another. */
export interface RevisionContent {
  /** The version; empty for an add-on without versions. */
  readonly version: string;
  /** The configs, including the template, sorted by kind. */
  readonly configs: readonly PinnedRef[];
  readonly renderer: number;
}

/**
 * Returns the digest of a revision's content. Equal content has an equal digest, so reverting to earlier content reuses the earlier
 * revision.
 */
export function revisionDigest({ version, configs, renderer }: RevisionContent): string {
  const refs = configs.map(({ group, resource, namespace, name, specHash }) => ({ group, resource, namespace, name, specHash }));
  return digestOf(canonicalJson({ version, configs: refs, renderer }));
}

/** Digests are cached, because the passes of all add-ons compute the digests of the same few contents. */
const digestOf = memoizeText(sha256Hex);

/**
 * Whether a target names a version that no template provides. Clusters that are admitted to such a target keep running their current
 * content.
 */
export function isVersionOnly(target: RolloutTarget): boolean {
  return (target.version ?? '') !== '' && !targetRefs(target).some(isTemplate);
}

/**
 * Whether two targets have the same content for a cluster. Kinds in `own`, which the cluster's add-on overrides, are not compared; if the
 * add-on overrides the template, the version is not compared either.
 */
export function isSameRevisionContent(a: RolloutTarget, b: RolloutTarget, own: ReadonlySet<string>): boolean {
  if (a.revision === b.revision) return true;
  if (own.size === 0 || isVersionOnly(a) !== isVersionOnly(b)) return false;
  if (!own.has(TEMPLATE_KIND) && (a.version ?? '') !== (b.version ?? '')) return false;
  const keys = (target: RolloutTarget): readonly string[] =>
    targetRefs(target).flatMap((ref) => (own.has(groupResource(ref)) ? [] : [`${refKey(ref)}@${ref.specHash}`]));
  const [left, right] = [keys(a), new Set(keys(b))];
  return left.length === right.size && left.every((key) => right.has(key));
}

/** The configs of a recorded target. */
export const targetRefs: (target: RolloutTarget) => readonly PinnedRef[] = memoize(({ configs = [] }: RolloutTarget) =>
  configs.map((ref) => ({ ...toRef(ref), specHash: ref.specHash })),
);
