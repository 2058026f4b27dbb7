export { startEmbedded } from './embedded.js';
export { Http } from './http.js';
export { attach, startKube } from './kube.js';
export type { RealKube } from './kube.js';
export { findKubectl } from '../../tools/kube-binaries/kubectl.js';
export type { Connection, Credentials, TestServer } from './server.js';
export { CRD_KIND, installKinds } from './kinds.js';
export type { Eventually } from './kinds.js';
