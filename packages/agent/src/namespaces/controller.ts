import { managedNamespaceLabel, namespaces } from '@outrigger/api';
import { deepEqual, isApiError } from '@outrigger/core';
import {
  type Controller,
  type EffectContext,
  type Resource,
  type Written,
  defineController,
  optionalWatches,
  watch,
} from '@outrigger/kube';
import { CLUSTER } from '../resources/apis.js';
import type { ManagedNamespaceProjection } from '../resources/managed-namespaces.js';
import type { OwnClusterProjection } from '../resources/own-cluster.js';
import { type ManageInput, type NamespacesEffects, type NamespacesState, decide } from './decide.js';

export interface NamespacesControllerOptions {
  readonly clusterName: string;
  readonly hubServer: string;
  readonly ownCluster: Resource<OwnClusterProjection>;
  readonly namespaces: Resource<ManagedNamespaceProjection>;
}

/** Creates the namespaces that the ManagedClusterSets of the cluster request. The controller's only key is the agent's ManagedCluster. */
export function namespacesController(options: NamespacesControllerOptions): Controller<NamespacesState, unknown, NamespacesEffects> {
  const label = managedNamespaceLabel(options.hubServer);
  const own = { name: options.clusterName };
  return defineController<NamespacesState, unknown, NamespacesEffects>({
    name: 'managed-namespaces',
    watches: [watch(options.ownCluster, ({ before, after }) => (deepEqual(askedFor(before), askedFor(after)) ? [] : [own]))],
    sources: [optionalWatches(own, [watch(options.namespaces, () => [own])])],
    observe(view, key, outcomes) {
      const cluster = view.get(options.ownCluster, key);
      if (!cluster || !view.isComplete(options.namespaces)) return undefined;
      return { cluster, label, labelled: new Map(Array.from(view.list(options.namespaces), (one) => [one.key.name, one])), outcomes };
    },
    decide,
    effects: { manage },
  });
}

function askedFor(cluster: OwnClusterProjection | undefined): unknown {
  const accepted = cluster?.status.conditions?.find(({ type }) => type === 'HubAcceptedManagedCluster')?.status;
  return cluster && [accepted, cluster.isDeleting, cluster.status.managedNamespaces];
}

/**
 * Creates or labels the namespace. The cache contains only labelled namespaces. The agent therefore tries to create the namespace, and the
 * response says whether the namespace already exists.
 */
async function manage({ name, label }: ManageInput, context: EffectContext): Promise<readonly Written[]> {
  const cluster = context.client(CLUSTER);
  const { signal } = context;
  const labels = { [label]: 'true' };
  try {
    const object = await cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }, { signal });
    return [{ api: CLUSTER, kind: namespaces, object }];
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
  const object = await cluster.patch(namespaces, { name }, { type: 'merge', patch: { metadata: { labels } } }, { signal });
  return [{ api: CLUSTER, kind: namespaces, object }];
}
