export { clusterControllers } from './controllers.js';
export { createJoinToken } from './join/create-token.js';
export { JOIN_LABEL, JOIN_NAMESPACE, clusterOfJoinUser } from '../../resources/join-names.js';
export type { ClusterOptions } from './state.js';
