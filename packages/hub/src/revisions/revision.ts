import { ADDON_GROUP, type RolloutTarget } from '@outrigger/api';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import { type PinnedRef, TEMPLATE_RESOURCE, groupResource, isTemplate, refKey, toRef } from '../configuration/references.js';
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

/** Whether two targets give a cluster the same; `own` are the kinds that its add-on decides itself, the template's standing for the version. */
export function isSameRevisionContent(a: RolloutTarget, b: RolloutTarget, own: ReadonlySet<string>): boolean {
  if (a.revision === b.revision) return true;
  if (own.size === 0 || isVersionOnly(a) !== isVersionOnly(b)) return false;
  if (!own.has(TEMPLATE_KIND) && (a.version ?? '') !== (b.version ?? '')) return false;
  const keys = (target: RolloutTarget): readonly string[] =>
    targetRefs(target).flatMap((ref) => (own.has(groupResource(ref)) ? [] : [`${refKey(ref)}@${ref.specHash}`]));
  const [wanted, standing] = [keys(a), new Set(keys(b))];
  return wanted.length === standing.size && wanted.every((key) => standing.has(key));
}

const TEMPLATE_KIND = groupResource({ group: ADDON_GROUP, resource: TEMPLATE_RESOURCE });

/** What a recorded target consists of. */
export const targetRefs: (target: RolloutTarget) => readonly PinnedRef[] = remember(({ configs = [] }: RolloutTarget) =>
  configs.map((ref) => ({ ...toRef(ref), specHash: ref.specHash })),
);
