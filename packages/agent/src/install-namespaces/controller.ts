import { INSTALL_NAMESPACE_LABEL, namespaces } from '@outrigger/api';
import { type ObjectKey, isApiError } from '@outrigger/core';
import { type Controller, type EffectContext, type Resource, type Written, defineController, watch } from '@outrigger/kube';
import { addOnNamespaces } from '../resources/add-on-namespaces.js';
import type { AddOnRecord } from '../resources/add-ons.js';
import { CLUSTER } from '../resources/apis.js';
import type { OwnClusterRecord } from '../resources/own-cluster.js';
import type { WorkRecord } from '../resources/works.js';
import { type EnsureInput, type InstallNamespacesState, decide } from './decide.js';

export interface InstallNamespacesOptions {
  readonly clusterName: string;
  readonly ownCluster: Resource<OwnClusterRecord>;
  readonly addOns: Resource<AddOnRecord>;
  readonly works: Resource<WorkRecord>;
}

export const INSTALL_NAMESPACES_CONTROLLER = 'install-namespaces';

/** Upstream's operator creates the namespace with this annotation, which OpenShift reads. */
const ANNOTATIONS = { 'workload.openshift.io/allowed': 'management' };

/** Keyed by the agent's ManagedCluster: creates the namespaces that add-ons are installed in. */
export function installNamespacesController(options: InstallNamespacesOptions): Controller<InstallNamespacesState> {
  const { ownCluster, addOns, works } = options;
  const own: readonly ObjectKey[] = [{ name: options.clusterName }];
  // Namespaces of other owners have no label, so they are not watched. They are read once.
  const found = new Set<string>();
  return defineController({
    name: INSTALL_NAMESPACES_CONTROLLER,
    watches: [
      watch(ownCluster, ({ before, after }) => (before && after && before.isDeleting === after.isDeleting ? [] : own)),
      watch(addOns, ({ before, after }) => (placeOf(before) === placeOf(after) ? [] : own)),
      watch(works, ({ before, after }) => (before?.generation === after?.generation ? [] : own)),
    ],
    observe(view, key) {
      const cluster = view.get(ownCluster, key);
      if (!cluster || cluster.isDeleting || !view.isComplete(addOnNamespaces)) return undefined;
      const labelled = Array.from(view.list(addOnNamespaces), (one) => one.key.name);
      return { addOns: [...view.list(addOns)], works: [...view.list(works)], existing: new Set([...found, ...labelled]) };
    },
    decide,
    effects: { ensure: (input, context) => ensure(input as EnsureInput, context, found) },
  });
}

function placeOf(addOn: AddOnRecord | undefined): string | undefined {
  return addOn && [addOn.isDeleting, addOn.installNamespace, addOn.status.namespace].join('\n');
}

/** Reads before it creates, so that an agent that restarts writes nothing. */
async function ensure({ name }: EnsureInput, context: EffectContext, found: Set<string>): Promise<readonly Written[]> {
  const cluster = context.client(CLUSTER);
  const { signal } = context;
  try {
    await cluster.get(namespaces, { name }, { signal });
    found.add(name);
    return [];
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
  const metadata = { name, labels: { [INSTALL_NAMESPACE_LABEL]: 'true' }, annotations: ANNOTATIONS };
  const object = await cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata }, { signal });
  return [{ api: CLUSTER, kind: namespaces, object }];
}
