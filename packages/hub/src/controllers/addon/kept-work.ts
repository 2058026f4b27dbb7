import { MAX_WORK_BYTES, type ManifestConfig, type ManifestWork, WRITTEN_ANNOTATION, manifestBytes, manifestWorks } from '@outrigger/api';
import { ApiError, type JsonObject, type KubeObject, type ObjectKey, deepEqual, matchesWildcard, parseApiVersion } from '@outrigger/core';
import { canonicalJson } from '@outrigger/core/hash';
import type { EffectAction, EffectHandler } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import { keptNote, manifestId, workPatch, type WorkProjection } from '@outrigger/rules/works';

/**
 * Writes the wanted manifests to a work together with current manifests of the work that a later pass removes. The caches do not contain
 * manifests, so an effect reads the current ones from the API server. Few add-ons have several works and therefore need this effect.
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
  { key, uid, resourceVersion }: WorkProjection,
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
 * Returns the wanted work, with the manifests in `lost` copied from the live work. The copies keep the manifestConfigs and the delete
 * option of the live work, because the agent would otherwise update, own and later delete an object that it may only read or must orphan.
 * If the result is too large for one work, returns the wanted work unchanged.
 */
export function withKept(work: ManifestWork, live: ManifestWork, lost: readonly string[]): ManifestWork {
  const names = new Set(lost);
  const kept = (live.spec.workload?.manifests ?? []).filter((manifest) => names.has(manifestId(manifest)));
  const manifests = inLiveOrder([...(work.spec.workload?.manifests ?? []), ...kept], live.spec.workload?.manifests ?? [], manifestId);
  if (manifestBytes(manifests) > MAX_WORK_BYTES) return work;
  const { manifestConfigs: _, deleteOption: __, ...spec } = work.spec;
  const { deleteOption } = live.spec;
  const manifestConfigs = keptConfigs(work, live, kept);
  return {
    ...work,
    metadata: { ...work.metadata, annotations: { ...work.metadata.annotations, [WRITTEN_ANNOTATION]: keptNote(work) } },
    spec: {
      ...spec,
      workload: { ...work.spec.workload, manifests },
      ...(deleteOption === undefined ? {} : { deleteOption }),
      ...(manifestConfigs.length > 0 ? { manifestConfigs } : {}),
    },
  };
}

/**
 * The wanted manifestConfigs and those of the live work that apply to kept manifests. The manifestConfigs of the live work come first,
 * because the agent takes each setting from the first manifestConfig that has it. Each of them is copied with the name of one object, so
 * that a pattern in it does not apply to wanted manifests.
 */
function keptConfigs(work: ManifestWork, live: ManifestWork, kept: readonly KubeObject[]): readonly ManifestConfig[] {
  const { manifestConfigs: wanted = [] } = work.spec;
  const { manifestConfigs: configs = [] } = live.spec;
  const own = kept.flatMap((manifest) =>
    configs.flatMap((config): ManifestConfig[] => {
      const { group = '', namespace = '', name } = config.resourceIdentifier;
      const { metadata, apiVersion } = manifest;
      const isAbout =
        group === parseApiVersion(apiVersion).group &&
        matchesWildcard(namespace, metadata.namespace ?? '') &&
        matchesWildcard(name, metadata.name ?? '');
      return isAbout ? [{ ...config, resourceIdentifier: { ...config.resourceIdentifier, ...placeOf(metadata) } }] : [];
    }),
  );
  const all = [...own.filter((config) => !wanted.some((other) => deepEqual(other, config))), ...wanted];
  const hasPattern = wanted.some(({ resourceIdentifier: { namespace = '', name } }) => `${namespace}${name}`.includes('*'));
  return hasPattern ? all : inLiveOrder(all, configs, ({ resourceIdentifier }) => canonicalJson(resourceIdentifier));
}

function placeOf({ namespace, name = '' }: KubeObject['metadata']): { readonly namespace?: string; readonly name: string } {
  return namespace === undefined ? { name } : { namespace, name };
}

/**
 * Sorts items by their position in the live work, with new items last, so that the spec does not change if a work only keeps its manifests.
 */
function inLiveOrder<T>(items: readonly T[], live: readonly T[], idOf: (item: T) => string): readonly T[] {
  const positions = new Map(live.map((item, index) => [idOf(item), index]));
  const position = (item: T): number => positions.get(idOf(item)) ?? live.length;
  return [...items].sort((a, b) => position(a) - position(b));
}
