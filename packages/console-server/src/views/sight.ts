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
  /** The user may have permissions in more namespaces than were checked. */
  readonly isTruncated: boolean;
}

/** A user who may see everything: the user of the kubeconfig in local mode. */
export const SEES_ALL: Sight = {
  seesAddOns: () => true,
  seesCluster: () => true,
  seesDeclarations: true,
  seesRollouts: true,
  isTruncated: false,
};
