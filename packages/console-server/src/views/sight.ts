/** The objects that one user may see. Every view checks the sight before it shows or counts an object. */
export interface Sight {
  /** Whether the user may `get` ManagedClusterAddOns in the cluster's namespace. */
  seesAddOns(cluster: string): boolean;
  /** Whether the user may `get` this ManagedCluster. */
  seesCluster(cluster: string): boolean;
  /** Whether the user may `get` ClusterManagementAddOns. */
  readonly seesDeclarations: boolean;
  /** Whether the user may `get` AddOnRollouts. */
  readonly seesRollouts: boolean;
  /** Whether the user may `get` RolloutApprovals. */
  readonly seesApprovals: boolean;
  /** Whether the user may `patch` AddOnRollouts. If so, views offer to pause, to roll back and to confirm removals. */
  readonly mayChangeRollouts: boolean;
  /** Whether the user may `create` RolloutApprovals. If so, views offer decisions about gates. */
  readonly mayDecide: boolean;
  /** Whether the user may have permissions in more namespaces than were checked. */
  readonly isTruncated: boolean;
}

/** The sight of a user who may see everything, such as the user of the kubeconfig in local mode. */
export const SEES_ALL: Sight = {
  seesAddOns: () => true,
  seesCluster: () => true,
  seesDeclarations: true,
  seesRollouts: true,
  seesApprovals: true,
  mayChangeRollouts: true,
  mayDecide: true,
  isTruncated: false,
};
