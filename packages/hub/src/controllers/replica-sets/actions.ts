import {
  type ManifestWork,
  REPLICA_SET_FINALIZER,
  TEMPLATE_DIGEST_ANNOTATION,
  TEMPLATE_WRITTEN_ANNOTATION,
  manifestWorkReplicaSets,
  manifestWorks,
} from '@outrigger/api';
import { type JsonObject, apiVersionOf, createMergePatch } from '@outrigger/core';
import type { Action, Now } from '@outrigger/kube';
import { deleteObserved, patchObserved, patchObservedStatus } from '../observed-actions.js';
import { HUB } from '../../resources/base.js';
import type { ReplicaSetProjection } from '../../resources/replica-sets.js';
import type { ReplicaSetWorkProjection } from '../../resources/replica-set-works.js';
import { setLabel, workName } from './names.js';
import { ownLabels } from './own-labels.js';

export const STATUS = 'status';

function actionId(cluster: string, name: string): string {
  return `work/${cluster}/${name}`;
}

export function createWork(set: ReplicaSetProjection, placement: string, cluster: string, now: Now): Action {
  const name = workName(set.key, placement);
  const object: ManifestWork = {
    apiVersion: apiVersionOf(manifestWorks),
    kind: manifestWorks.kind,
    metadata: { name, namespace: cluster, labels: ownLabels(set.labels, setLabel(set.key), placement), annotations: writtenFrom(set, now) },
    spec: set.template,
  };
  return { type: 'create', id: actionId(cluster, name), api: HUB, kind: manifestWorks, object, adopt: true };
}

/** Writes the template to a work. Additional labels of the work stay. */
export function updateWork(set: ReplicaSetProjection, work: ReplicaSetWorkProjection, now: Now): Action {
  const patch = {
    metadata: { labels: ownLabels(set.labels, setLabel(set.key), work.placement), annotations: writtenFrom(set, now) },
    spec: createMergePatch(work.spec, set.template) as JsonObject,
  };
  return patchWork(work, patch);
}

export function labelWork(work: ReplicaSetWorkProjection, labels: Readonly<Record<string, string>>): Action {
  return patchWork(work, { metadata: { labels } });
}

function patchWork(work: ReplicaSetWorkProjection, patch: JsonObject): Action {
  return patchObserved(work, manifestWorks, actionId(work.key.namespace ?? '', work.key.name), patch);
}

export function deleteWork(work: ReplicaSetWorkProjection): Action {
  return deleteObserved(work, manifestWorks, actionId(work.key.namespace ?? '', work.key.name));
}

export function addFinalizer(set: ReplicaSetProjection): Action {
  return patchFinalizers(set, [...set.finalizers, REPLICA_SET_FINALIZER]);
}

export function removeFinalizer(set: ReplicaSetProjection): Action {
  return patchFinalizers(
    set,
    set.finalizers.filter((finalizer) => finalizer !== REPLICA_SET_FINALIZER),
  );
}

function patchFinalizers(set: ReplicaSetProjection, finalizers: readonly string[]): Action {
  return patchObserved(set, manifestWorkReplicaSets, 'finalizers', { metadata: { finalizers } });
}

export function writeStatus(set: ReplicaSetProjection, status: JsonObject): Action {
  return patchObservedStatus(set, manifestWorkReplicaSets, STATUS, status);
}

function writtenFrom({ digest }: ReplicaSetProjection, { time }: Now): Readonly<Record<string, string>> {
  return { [TEMPLATE_DIGEST_ANNOTATION]: digest, [TEMPLATE_WRITTEN_ANNOTATION]: time };
}
