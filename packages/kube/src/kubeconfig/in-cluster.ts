import { ConfigError, type ConnectionConfig } from './connection.js';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The file that contains the namespace of a pod. */
export const NAMESPACE_FILE: string = `${SERVICE_ACCOUNT}/namespace`;

export function isInCluster(env: Readonly<Record<string, string | undefined>>): boolean {
  return Boolean(env['KUBERNETES_SERVICE_HOST'] && env['KUBERNETES_SERVICE_PORT']);
}

/**
 * Returns the connection to the API server of the cluster in which this pod runs, with the pod's service account. The token file is read
 * again from time to time, because the kubelet replaces it.
 */
export function inClusterConnection(env: Readonly<Record<string, string | undefined>>): ConnectionConfig {
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'];
  if (!host || !port) throw new ConfigError('not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca: { file: `${SERVICE_ACCOUNT}/ca.crt` },
    tokenFile: `${SERVICE_ACCOUNT}/token`,
    origin: 'the service account of this pod',
  };
}
