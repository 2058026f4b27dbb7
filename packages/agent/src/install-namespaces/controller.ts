import { INSTALL_NAMESPACE_LABEL, namespaces } from '@outrigger/api';
import { type ObjectKey, isApiError } from '@outrigger/core';
import {
  type Controller,
  type EffectContext,
  type Resource,
  type Written,
  defineController,
  optionalWatches,
  watch,
} from '@outrigger/kube';
import { addOnNamespaces } from '../resources/add-on-namespaces.js';
import type { ClusterAddOnProjection } from '../resources/add-ons.js';
import { CLUSTER } from '../resources/apis.js';
import type { OwnClusterProjection } from '../resources/own-cluster.js';
import type { WorkProjection } from '../resources/works.js';
import { type EnsureInput, type InstallNamespacesEffects, type InstallNamespacesState, decide } from './decide.js';

export interface InstallNamespacesOptions {
  readonly clusterName: string;
  readonly ownCluster: Resource<OwnClusterProjection>;
  readonly clusterAddOns: Resource<ClusterAddOnProjection>;
  readonly works: Resource<WorkProjection>;
}

/** The annotation that upstream's operator sets on install namespaces. OpenShift reads it. */
const ANNOTATIONS = { 'workload.openshift.io/allowed': 'management' };

/**
 * The names of existing namespaces that the agent did not create. They lack the label of the namespaces that it creates, so the agent reads
 * them once instead of watching them.
 */
type Found = readonly string[];

/** Creates the namespaces in which add-ons are installed. The controller's only key is the agent's ManagedCluster. */
export function installNamespacesController(
  options: InstallNamespacesOptions,
): Controller<InstallNamespacesState, Found, InstallNamespacesEffects> {
  const { ownCluster, clusterAddOns, works } = options;
  const key = { name: options.clusterName };
  const own: readonly ObjectKey[] = [key];
  return defineController<InstallNamespacesState, Found, InstallNamespacesEffects>({
    name: 'install-namespaces',
    watches: [
      watch(ownCluster, ({ before, after }) => (before && after && before.isDeleting === after.isDeleting ? [] : own)),
      watch(clusterAddOns, ({ before, after }) => (placeOf(before) === placeOf(after) ? [] : own)),
      watch(works, ({ before, after }) => (before?.generation === after?.generation ? [] : own)),
    ],
    // The watch is optional, because an agent that may not read namespaces still performs all other tasks.
    sources: [optionalWatches(key, [watch(addOnNamespaces, () => own)])],
    observe(view, _key, { remembered: found = [] }) {
      const cluster = view.get(ownCluster, key);
      if (!cluster || cluster.isDeleting || !view.isComplete(addOnNamespaces)) return undefined;
      const labelled = Array.from(view.list(addOnNamespaces), (one) => one.key.name);
      return { clusterAddOns: [...view.list(clusterAddOns)], works: [...view.list(works)], existing: new Set([...found, ...labelled]) };
    },
    decide,
    effects: { ensure },
  });
}

function placeOf(clusterAddOn: ClusterAddOnProjection | undefined): string | undefined {
  return clusterAddOn && [clusterAddOn.isDeleting, clusterAddOn.installNamespace, clusterAddOn.status.namespace].join('\n');
}

/** Creates the namespace if it does not exist. The agent reads it first, so that a restarted agent writes nothing. */
async function ensure({ name }: EnsureInput, context: EffectContext<Found>): Promise<readonly Written[]> {
  const cluster = context.client(CLUSTER);
  const { signal } = context;
  try {
    await cluster.get(namespaces, { name }, { signal });
    context.remember((found = []) => [...found, name]);
    return [];
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
  const metadata = { name, labels: { [INSTALL_NAMESPACE_LABEL]: 'true' }, annotations: ANNOTATIONS };
  const object = await cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata }, { signal });
  return [{ api: CLUSTER, kind: namespaces, object }];
}
