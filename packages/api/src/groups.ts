export const ADDON_GROUP = 'addon.open-cluster-management.io';
export const CLUSTER_GROUP = 'cluster.open-cluster-management.io';
export const WORK_GROUP = 'work.open-cluster-management.io';
/** An API group that exists only in access checks. Its permissions decide who may accept a cluster and who may renew its certificate. */
export const REGISTER_GROUP = 'register.open-cluster-management.io';
export const OUTRIGGER_GROUP = 'outrigger.dev';
