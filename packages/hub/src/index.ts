export { createHub } from './hub.js';
export type { HubOptions } from './hub.js';
export { JOIN_GROUP, clusterOfJoinUser, createJoinToken, joinUser } from './controllers/clusters/index.js';
export type { ClusterOptions, JoinToken, JoinTokenOptions } from './controllers/clusters/index.js';
