import type { Outcomes } from '@outrigger/kube';
import type { ClusterAddOnRecord, ClusterContentRecord } from '../../resources/cluster-contents.js';
import type { ClusterLeaseRecord } from '../../resources/cluster-leases.js';
import type { ClusterLifecycleRecord } from '../../resources/cluster-lifecycle.js';
import type { ClusterSetRecord } from '../../resources/cluster-sets.js';
import type { LeftBehindRecord, NamespaceRecord, RightsBindingRecord, RoleRecord } from '../../resources/cluster-rights.js';

/** How an administrator wants clusters to be treated. */
export interface ClusterOptions {
  /** Accepts every cluster that shows up, once: a later denial by a person stays. */
  readonly autoAccept?: boolean;
  /** Further labels of the namespaces of clusters. */
  readonly namespaceLabels?: Readonly<Record<string, string>>;
}

/** The roles and bindings that exist for the agent of one cluster. */
export interface ObservedRights {
  readonly role: RoleRecord | undefined;
  readonly binding: RightsBindingRecord | undefined;
  readonly registrationBinding: RightsBindingRecord | undefined;
  readonly workBinding: RightsBindingRecord | undefined;
  /** Shared by all clusters. */
  readonly registrationRole: RoleRecord | undefined;
  readonly workRole: RoleRecord | undefined;
}

/** Everything one pass may look at over a cluster whose ManagedCluster is not there while its Namespace is. */
export interface GoneState extends Omit<ClusterState, 'cluster' | 'namespace' | 'askingSets'> {
  readonly cluster: undefined;
  readonly name: string;
  readonly namespace: NamespaceRecord;
  /** When the server first answered that there is no such cluster, by the monotonic clock. */
  readonly goneSince: number | undefined;
  /** How many clusters are gone like this, and how many are there. */
  readonly goneCount: number;
  readonly livingCount: number;
}

/** Everything one pass over a ManagedCluster may look at. */
export interface ClusterState {
  readonly cluster: ClusterLifecycleRecord;
  /** Whether there is no other cluster on the hub. */
  readonly isLast: boolean;
  readonly namespace: NamespaceRecord | undefined;
  readonly rights: ObservedRights;
  readonly lease: ClusterLeaseRecord | undefined;
  readonly addOns: readonly ClusterAddOnRecord[];
  readonly works: readonly ClusterContentRecord[];
  readonly leftBehind: LeftBehindRecord | undefined;
  /** The sets of the cluster that ask for namespaces on it. */
  readonly askingSets: readonly ClusterSetRecord[];
  readonly options: ClusterOptions;
  readonly outcomes: Outcomes;
}
