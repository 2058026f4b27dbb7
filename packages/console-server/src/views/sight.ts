/** The objects that one user may see. Every view checks it for every object that it shows or counts. */
export interface Sight {
  /** `get managedclusteraddons` in the cluster's namespace. */
  seesAddOns(cluster: string): boolean;
  /** `get managedclusters` for the cluster. */
  seesCluster(cluster: string): boolean;
  /** `get clustermanagementaddons`. */
  readonly seesDeclarations: boolean;
  /** `get addonrollouts`. */
  readonly seesRollouts: boolean;
  /** `get rolloutapprovals`. */
  readonly seesApprovals: boolean;
  /** `patch addonrollouts`: whether views offer to pause, to roll back and to confirm. */
  readonly mayChangeRollouts: boolean;
  /** `create rolloutapprovals`: whether views offer decisions about gates. */
  readonly mayDecide: boolean;
  /** The user may have permissions in more namespaces than were checked. */
  readonly isTruncated: boolean;
}

/** A user who may see everything: the user of the kubeconfig in local mode. */
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
