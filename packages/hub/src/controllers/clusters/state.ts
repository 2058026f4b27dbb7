import type { Outcomes } from '@outrigger/kube';
import type { LeftoverAddOnProjection, ClusterLeftoverProjection } from '../../resources/cluster-leftovers.js';
import type { ClusterLeaseProjection } from '../../resources/cluster-leases.js';
import type { LifecycleProjection } from '../../resources/cluster-lifecycle.js';
import type { ClusterSetProjection } from '../../resources/cluster-sets.js';
import type { LeaseMemory } from './steps/lease.js';
import type { LeftBehindProjection, NamespaceProjection, RightsBindingProjection, RoleProjection } from '../../resources/cluster-rights.js';

/**
 * In-memory state about a ManagedCluster. It is deliberately not stored: during a restore from a backup, the Namespace of a cluster may
 * exist before its ManagedCluster, and a stored state would make the hub remove the objects of this cluster.
 */
export interface ClusterMemory {
  /** Whether this process has seen the ManagedCluster. */
  readonly wasSeen?: true;
  /** When the API server first reported that the ManagedCluster does not exist, on the monotonic clock. */
  readonly goneSince?: number;
  /** The Lease as the last pass observed it. */
  readonly lease?: LeaseMemory;
}

/** The in-memory state of a cluster whose ManagedCluster exists. */
export const SEEN: ClusterMemory = { wasSeen: true };

/** An administrator's settings for clusters. */
export interface ClusterOptions {
  /** Accepts every new cluster once. A cluster that a user denies later stays denied. */
  readonly autoAccept?: boolean;
  /** Additional labels for the namespaces of clusters. */
  readonly namespaceLabels?: Readonly<Record<string, string>>;
}

/** The existing roles and bindings of the agent of one cluster. */
export interface ObservedRights {
  readonly role: RoleProjection | undefined;
  readonly binding: RightsBindingProjection | undefined;
  readonly registrationBinding: RightsBindingProjection | undefined;
  readonly workBinding: RightsBindingProjection | undefined;
  /** Shared by all clusters. */
  readonly registrationRole: RoleProjection | undefined;
  readonly workRole: RoleProjection | undefined;
}

/** All inputs of one pass over a cluster that has a Namespace but no ManagedCluster. */
export interface GoneState extends Omit<ClusterState, 'cluster' | 'namespace' | 'askingSets' | 'rememberedLease'> {
  readonly cluster: undefined;
  readonly name: string;
  readonly namespace: NamespaceProjection;
  /** When the server first reported that the cluster does not exist, on the monotonic clock. */
  readonly goneSince: number | undefined;
  /**
   * The number of clusters whose ManagedCluster disappeared before the hub removed its own finalizers. `livingCount` is the number of
   * existing clusters.
   */
  readonly goneCount: number;
  readonly livingCount: number;
}

/** All inputs of one pass over a ManagedCluster. */
export interface ClusterState {
  readonly cluster: LifecycleProjection;
  /** Whether this is the only cluster of the hub. */
  readonly isLast: boolean;
  readonly namespace: NamespaceProjection | undefined;
  readonly rights: ObservedRights;
  readonly lease: ClusterLeaseProjection | undefined;
  readonly rememberedLease: LeaseMemory | undefined;
  readonly addOns: readonly LeftoverAddOnProjection[];
  readonly works: readonly ClusterLeftoverProjection[];
  readonly leftBehind: LeftBehindProjection | undefined;
  /** The cluster's sets that request namespaces on it. */
  readonly askingSets: readonly ClusterSetProjection[];
  readonly options: ClusterOptions;
  readonly outcomes: Outcomes;
}
