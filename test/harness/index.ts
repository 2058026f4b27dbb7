export { startEmbedded } from './embedded.js';
export { Http } from './http.js';
export { recordedLogger } from './evidence.js';
export { type KubeOptions, startKube } from './kube.js';
export { findKubectl } from '../../tools/kube-binaries/kubectl.js';
export type { Credentials, RealKube, TestServer } from './server.js';
export { startRelay } from './relay.js';
export type { Relay } from './relay.js';
export { installKinds } from './kinds.js';
