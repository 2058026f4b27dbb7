export { ConfigError } from './connection.js';
export type { ConnectionConfig, ExecPlugin, Impersonation, PemSource } from './connection.js';
export { parseKubeconfig } from './kubeconfig.js';
export type { Kubeconfig } from './kubeconfig.js';
export { resolveKubeconfig } from './resolve.js';
export type { Resolved, ResolveOptions } from './resolve.js';
