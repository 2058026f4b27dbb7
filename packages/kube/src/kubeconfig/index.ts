export { ConfigError } from './connection.js';
export type { ConnectionConfig } from './connection.js';
export { parseKubeconfig } from './kubeconfig.js';
export { resolveKubeconfig } from './resolve.js';
