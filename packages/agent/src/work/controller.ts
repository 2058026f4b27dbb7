import { appliedManifestWorkName, hubHash } from '@outrigger/api';
import { type KubeObject, type ObjectKey, isApiError } from '@outrigger/core';
import {
  type CacheView,
  type Controller,
  type EffectContext,
  type Outcomes,
  type Resource,
  defineController,
  watch,
} from '@outrigger/kube';
import type { LiveObjects, ObjectRef } from '../live/live-objects.js';
import { CLUSTER } from '../resources/apis.js';
import { appliedWorks } from '../resources/applied-works.js';
import { type WorkRecord, works } from '../resources/works.js';
import { type PutInput, type RemoveInput, type TrackInput, decide } from './decide.js';
import type { ClusterKinds } from './kinds.js';
import { configFor } from './manifest-config.js';
import type { Leftover, ManifestState, WorkState } from './state.js';

export interface WorkControllerOptions {
  readonly clusterName: string;
  /** The hub's address as the agent's kubeconfig has it: part of the name of what it keeps on the cluster. */
  readonly hubServer: string;
  readonly agentId: string;
  readonly live: LiveObjects;
  readonly kinds: ClusterKinds;
}

/** Keyed by ManifestWork: what it asks for stands on the cluster, and what stands there is reported. */
export function workController(options: WorkControllerOptions): Controller<WorkState> {
  const hubWorks = works(options.clusterName);
  return defineController({
    name: 'work',
    watches: [
      watch(hubWorks, ({ before, after }) => [(after ?? before)?.key ?? { name: '' }]),
      watch(appliedWorks, ({ before, after }) => {
        const applied = after ?? before;
        return applied && applied.hubHash === hubHash(options.hubServer)
          ? [{ namespace: options.clusterName, name: applied.workName }]
          : [];
      }),
    ],
    observe: (view, key, outcomes) => observe(view, key, outcomes, hubWorks, options),
    decide,
    effects: {
      track: (input) => trackObjects(input as TrackInput, options),
      put: (input, context) => put(input as PutInput, context, options),
      remove: (input, context) => remove(input as RemoveInput, context, options),
    },
  });
}

function observe(
  view: CacheView,
  key: ObjectKey,
  outcomes: Outcomes,
  hubWorks: Resource<WorkRecord>,
  options: WorkControllerOptions,
): WorkState | undefined {
  const appliedName = appliedManifestWorkName(options.hubServer, key.name);
  const work = view.get(hubWorks, key);
  const applied = view.get(appliedWorks, { name: appliedName });
  if (!work && !applied) return undefined;
  const manifests =
    work && !work.isDeleting
      ? (work.spec.workload?.manifests ?? []).map((manifest, ordinal) => manifestState(manifest, ordinal, work, options))
      : [];
  const wanted = new Set(manifests.flatMap(({ ref }) => (ref ? [objectId(ref)] : [])));
  const leftovers = (applied?.applied ?? []).flatMap((resource): Leftover[] => {
    const kind = options.kinds.byResource(resource.group ?? '', resource.resource) ?? {
      group: resource.group ?? '',
      version: resource.version,
      kind: '',
      plural: resource.resource,
      namespaced: resource.namespace !== undefined && resource.namespace !== '',
    };
    const ref = { kind, namespace: resource.namespace ?? '', name: resource.name };
    if (wanted.has(objectId(ref))) return [];
    return [{ ref, uid: resource.uid ?? '', live: options.live.get(ref), isTracked: options.live.isTracking(key.name, ref) }];
  });
  return {
    name: key.name,
    work,
    applied,
    appliedName,
    hubHash: hubHash(options.hubServer),
    agentId: options.agentId,
    manifests,
    leftovers,
    outcomes,
  };
}

function manifestState(manifest: KubeObject, ordinal: number, work: WorkRecord, { kinds, live }: WorkControllerOptions): ManifestState {
  const kind = kinds.byType(manifest.apiVersion, manifest.kind);
  if (typeof kind === 'string')
    return { ordinal, manifest, ref: undefined, live: { state: 'unknown' }, isTracked: kind === 'unserved', config: {} };
  const ref: ObjectRef = {
    kind,
    namespace: kind.namespaced ? (manifest.metadata.namespace ?? 'default') : '',
    name: manifest.metadata.name ?? '',
  };
  const config = configFor(work.spec.manifestConfigs ?? [], ref);
  return { ordinal, manifest, ref, live: live.get(ref), isTracked: live.isTracking(work.key.name, ref), config };
}

function objectId({ kind, namespace, name }: ObjectRef): string {
  return `${kind.plural}.${kind.group}/${namespace}/${name}`;
}

async function trackObjects({ work, manifests, leftovers }: TrackInput, { kinds, live }: WorkControllerOptions): Promise<void> {
  const refs: ObjectRef[] = [...leftovers];
  for (const { apiVersion, kind: type, metadata } of manifests) {
    const kind = await kinds.resolve(apiVersion, type);
    if (kind) refs.push({ kind, namespace: kind.namespaced ? (metadata.namespace ?? 'default') : '', name: metadata.name ?? '' });
  }
  live.track(work, refs);
}

async function put({ ref, object, isNew }: PutInput, { client, signal }: EffectContext, { live }: WorkControllerOptions): Promise<void> {
  const cluster = client(CLUSTER);
  const written = isNew ? await cluster.create(ref.kind, object, { signal }) : await cluster.replace(ref.kind, object, { signal });
  live.wrote(ref, written);
}

async function remove({ ref, uid }: RemoveInput, { client, signal }: EffectContext, { live }: WorkControllerOptions): Promise<void> {
  const key = ref.namespace === '' ? { name: ref.name } : { name: ref.name, namespace: ref.namespace };
  try {
    await client(CLUSTER).delete(ref.kind, key, { signal, precondition: { uid }, propagation: 'Background' });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
    live.wrote(ref, undefined);
  }
}
