import { MAX_WORK_BYTES, type ManifestWork, WRITTEN_ANNOTATION, manifestWorks } from '@outrigger/api';
import { ApiError, type JsonObject, type ObjectKey } from '@outrigger/core';
import type { EffectAction, EffectHandler } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import { keptNote, manifestId, workPatch, type WorkRecord } from '@outrigger/rules/works';

/**
 * Writes a work with new manifests that still contains the manifests to be removed later. The caches do not keep manifests, so an effect
 * reads them from the API server. Only the few add-ons with several works need this.
 */

interface KeepInput {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly work: ManifestWork;
  /** Identities of the manifests to keep. */
  readonly lost: readonly string[];
}

export type KeepEffects = { readonly 'keep-manifests': KeepInput };

export function keepManifests(
  id: string,
  { key, uid, resourceVersion }: WorkRecord,
  work: ManifestWork,
  lost: readonly string[],
): EffectAction<KeepEffects> {
  return { type: 'effect', effect: 'keep-manifests', id, input: { key, uid, resourceVersion, work, lost } };
}

export const writeKeeping: EffectHandler<KeepInput> = async ({ key, uid, resourceVersion, work, lost }, context) => {
  const { signal } = context;
  const hub = context.client(HUB);
  const live = await hub.get(manifestWorks, key, { signal });
  if (live.metadata.uid !== uid || live.metadata.resourceVersion !== resourceVersion)
    throw new ApiError('Conflict', `the caches are behind: ManifestWork ${key.namespace ?? ''}/${key.name} has changed`);
  const { metadata, spec } = workPatch(withKept(work, live, lost)) as { metadata: JsonObject; spec: JsonObject };
  const patch: JsonObject = { metadata: { ...metadata, uid, resourceVersion }, spec };
  const object = await hub.patch(manifestWorks, key, { type: 'merge', patch }, { signal });
  return [{ api: HUB, kind: manifestWorks, object }];
};

/**
 * The wanted work, with the manifests in `lost` copied from the live work. If the result is too large for one work, returns the wanted work
 * unchanged.
 */
export function withKept(work: ManifestWork, live: ManifestWork, lost: readonly string[]): ManifestWork {
  const names = new Set(lost);
  const kept = (live.spec.workload?.manifests ?? []).filter((manifest) => names.has(manifestId(manifest)));
  const manifests = [...(work.spec.workload?.manifests ?? []), ...kept];
  const size = manifests.reduce((sum, manifest) => sum + JSON.stringify(manifest).length, 0);
  if (size > MAX_WORK_BYTES) return work;
  return {
    ...work,
    metadata: { ...work.metadata, annotations: { ...work.metadata.annotations, [WRITTEN_ANNOTATION]: keptNote(work) } },
    spec: { ...work.spec, workload: { ...work.spec.workload, manifests } },
  };
}
