export { clusterControllers } from './controllers.js';
export { createJoinToken } from './join/create-token.js';
export type { JoinToken, JoinTokenOptions } from './join/create-token.js';
export { JOIN_GROUP, JOIN_LABEL, JOIN_NAMESPACE, clusterOfJoinUser, joinUser } from '../../resources/join-names.js';
export type { ClusterOptions } from './state.js';
