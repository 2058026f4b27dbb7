import {
  addOnRollouts,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterSets,
  managedClusters,
  rolloutApprovals,
  rolloutPolicies,
} from './kinds.js';
import { namespaces, type ObjectReference } from './kubernetes.js';

/** The namespaces in which the API server accepts Events about objects without a namespace. */
const FLEET_NAMESPACES: readonly string[] = ['default', 'kube-system'];

const WITHOUT_NAMESPACE: ReadonlySet<string> = new Set(
  [
    addOnRollouts,
    addOnTemplates,
    clusterManagementAddOns,
    managedClusterSets,
    managedClusters,
    namespaces,
    rolloutApprovals,
    rolloutPolicies,
  ].map(({ kind }) => kind),
);

/** Whether only writers of the hub itself, and no agent of a cluster, may write Events in the namespace. */
export function isFleetNamespace(namespace: string): boolean {
  return FLEET_NAMESPACES.includes(namespace);
}

/**
 * Whether a writer of Events in the namespace may report about the object. The agent of a cluster may write Events in the namespace of the
 * cluster, so such an Event is about this cluster only, whatever object it names.
 */
export function mayReport(namespace: string | undefined, about: Pick<ObjectReference, 'kind' | 'name' | 'namespace'>): boolean {
  if (namespace === undefined) return true;
  if (!WITHOUT_NAMESPACE.has(about.kind ?? '')) return namespace === about.namespace;
  return isFleetNamespace(namespace) || (about.kind === managedClusters.kind && namespace === about.name);
}
