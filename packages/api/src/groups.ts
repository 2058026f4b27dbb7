export const ADDON_GROUP = 'addon.open-cluster-management.io';
export const CLUSTER_GROUP = 'cluster.open-cluster-management.io';
export const WORK_GROUP = 'work.open-cluster-management.io';
/** A group that is used only in access checks, for who may accept a cluster or renew its certificate. */
export const REGISTER_GROUP = 'register.open-cluster-management.io';
export const OUTRIGGER_GROUP = 'outrigger.dev';
