import type { AppliedResource, ManifestWorkSpec, ManifestWorkStatus } from '@outrigger/api';
import { type Condition, type Kind, type KubeObject, type OwnerReference, deepFreeze } from '@outrigger/core';
import type { Live, ObjectRef } from '@outrigger/kube';
import type { AppliedWorkProjection } from '../resources/applied-works.js';
import type { WorkProjection } from '../resources/works.js';
import { DEFAULT_TREATMENT } from './manifest/config.js';
import { prepare } from './manifest/normalize.js';
import { ownerReference } from './ownership/owners.js';
import type { Leftover, ManifestState, WritableWork } from './state.js';
import type { Situation } from './strategy/situation.js';

export const CONFIG_MAPS: Kind = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
export const CLUSTER_ROLES: Kind = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
};
export const APPLIED_UID = 'applied-work-uid';
export const OWNER: OwnerReference = ownerReference({ name: 'hash-work', uid: APPLIED_UID });

export type Fields = Readonly<Record<string, unknown>>;

export function object(name: string, fields: Fields = {}, metadata: Fields = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'ns', ...metadata }, ...fields };
}

/** Returns the known state of an object that exists with the given content. */
export function live(wanted: KubeObject, metadata: Fields = {}): Live & { state: 'present' } {
  const identity = { uid: `uid-${wanted.metadata.name}`, resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' };
  return { state: 'present', object: { ...wanted, metadata: { ...wanted.metadata, ...identity, ...metadata } } };
}

export function owned(wanted: KubeObject, metadata: Fields = {}): Live & { state: 'present' } {
  return live(wanted, { ownerReferences: [OWNER], ...metadata });
}

export function ref(name: string, kind: Kind = CONFIG_MAPS): ObjectRef {
  return { kind, namespace: kind.namespaced ? 'ns' : '', name };
}

export function situation(manifest: KubeObject, over: Partial<Situation> = {}): Situation {
  return deepFreeze({ manifest, live: { state: 'absent' }, owner: OWNER, isOwned: true, isWritten: false, after: undefined, ...over });
}

export function manifestState(name: string, over: Partial<ManifestState> = {}): ManifestState {
  return {
    ordinal: 0,
    manifest: prepare(object(name, { data: { a: '1' } })),
    lookup: { state: 'served', kind: CONFIG_MAPS },
    ref: ref(name),
    live: { state: 'absent' },
    isTracked: true,
    treatment: DEFAULT_TREATMENT,
    isOwned: true,
    before: undefined,
    duplicateOf: undefined,
    attempt: undefined,
    check: undefined,
    permission: undefined,
    reading: 'allowed',
    ...over,
  };
}

/** Returns a manifest that was applied in generation 1 and whose object matches it. */
export function settledManifest(name: string, ordinal = 0): ManifestState {
  const base = manifestState(name, { ordinal });
  const meta = { ordinal, group: '', version: 'v1', kind: 'ConfigMap', resource: 'configmaps', name, namespace: 'ns' };
  const conditions = [
    condition('Applied', 'True', 'AppliedManifestComplete', 'Apply manifest complete'),
    condition('Available', 'True', 'ResourceAvailable', 'Resource is available'),
    condition('StatusFeedbackSynced', 'True', 'NoStatusFeedbackSynced', ''),
  ];
  return { ...base, live: owned(base.manifest.object), before: { resourceMeta: meta, conditions } };
}

export function condition(type: string, status: Condition['status'], reason: string, message: string, generation = 1): Condition {
  return { type, status, reason, message, observedGeneration: generation, lastTransitionTime: '2026-01-01T00:00:00Z' };
}

export function leftover(name: string, at: Live, over: Partial<Leftover> = {}): Leftover {
  return { ref: ref(name), uid: `uid-${name}`, live: at, isTracked: true, isOrphan: false, ...over };
}

export interface Given {
  readonly manifests?: readonly ManifestState[];
  readonly leftovers?: readonly Leftover[];
  readonly listed?: readonly AppliedResource[];
  readonly spec?: ManifestWorkSpec;
  readonly status?: ManifestWorkStatus;
  readonly work?: Partial<WorkProjection>;
  readonly appliedWork?: Partial<AppliedWorkProjection>;
}

/** Returns a work with its applied work, frozen. */
export function given({
  manifests = [],
  leftovers = [],
  listed = [],
  spec = {},
  status = {},
  work = {},
  appliedWork = {},
}: Given): WritableWork {
  return deepFreeze({
    name: 'work',
    work: {
      key: { namespace: 'cluster1', name: 'work' },
      uid: 'work-uid',
      resourceVersion: '3',
      generation: 1,
      isDeleting: false,
      finalizers: ['cluster.open-cluster-management.io/manifest-work-cleanup'],
      labels: {},
      spec,
      status,
      isRendered: false,
      ...work,
    },
    appliedWork: {
      key: { name: 'hash-work' },
      uid: APPLIED_UID,
      resourceVersion: '5',
      isDeleting: false,
      finalizers: ['cluster.open-cluster-management.io/applied-manifest-work-cleanup'],
      labels: {},
      copiedLabels: [],
      workName: 'work',
      hubHash: 'hash',
      agentId: 'agent',
      resources: listed,
      evictionStartTime: undefined,
      ...appliedWork,
    },
    owner: OWNER,
    appliedWorkName: 'hash-work',
    hubHash: 'hash',
    agentId: 'agent',
    manifests,
    leftovers,
    isTrackingMore: false,
    feedback: { isRawJsonAllowed: false, maxJsonLength: 1024, reasonAfterMs: 10_000 },
    inspections: new Map(),
    appliedWorkLeftUntil: undefined,
    listFrom: undefined,
    appliedWorkRefusal: undefined,
    releaseProblems: [],
  });
}

export function listed(name: string, uid = `uid-${name}`): AppliedResource {
  return { group: '', version: 'v1', resource: 'configmaps', name, namespace: 'ns', ...(uid === '' ? {} : { uid }) };
}

/** Returns the status of a work whose objects all match their manifests. */
export function settledStatus(manifests: readonly ManifestState[]): ManifestWorkStatus {
  return {
    conditions: [
      condition('Applied', 'True', 'AppliedManifestWorkComplete', 'Apply manifest work complete'),
      condition('Available', 'True', 'ResourcesAvailable', 'All resources are available'),
    ],
    resourceStatus: { manifests: manifests.flatMap(({ before }) => (before ? [before] : [])) },
  };
}
