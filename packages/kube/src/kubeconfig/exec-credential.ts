import { errorMessage, isJsonObject, parseTime } from '@outrigger/core';
import { ConfigError, type ConnectionConfig, type ExecPlugin } from './connection.js';

/** The response of a plugin. */
export interface ExecCredential {
  readonly token?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  /** The expiry time in milliseconds since the epoch. If absent, the credential is used until the server rejects it. */
  readonly expiresAt?: number;
}

/** The value of KUBERNETES_EXEC_INFO: the request to the plugin, with the cluster's data if the plugin requests it. */
export function execInfo(plugin: ExecPlugin, config: ConnectionConfig, caData: string | undefined, interactive: boolean): string {
  const cluster = {
    server: config.server,
    ...(config.tlsServerName ? { 'tls-server-name': config.tlsServerName } : {}),
    ...(config.insecureSkipTlsVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(caData ? { 'certificate-authority-data': Buffer.from(caData).toString('base64') } : {}),
    ...(config.proxyUrl ? { 'proxy-url': config.proxyUrl } : {}),
    ...(config.disableCompression ? { 'disable-compression': true } : {}),
    ...(plugin.clusterConfig === undefined ? {} : { config: plugin.clusterConfig }),
  };
  const spec = { interactive, ...(plugin.provideClusterInfo ? { cluster } : {}) };
  return JSON.stringify({ kind: 'ExecCredential', apiVersion: plugin.apiVersion, spec });
}

/** Parses a plugin's standard output. Error messages never contain the output, because it contains secrets. */
export function parseExecCredential(plugin: ExecPlugin, output: string): ExecCredential {
  const fail = (problem: string): never => {
    throw new ConfigError(`credential plugin ${plugin.command}: ${problem}`);
  };
  const document = parseOutput(output, fail);
  if (!isJsonObject(document) || document['kind'] !== 'ExecCredential') return fail('its output is not an ExecCredential');
  if (document['apiVersion'] !== plugin.apiVersion) {
    return fail(
      `it answered in ${String(document['apiVersion'])}, but ${plugin.apiVersion} was asked for: align apiVersion in the kubeconfig`,
    );
  }
  const status = isJsonObject(document['status']) ? document['status'] : fail('its answer has no status');
  const { token, clientCertificateData: certificate, clientKeyData: key, expirationTimestamp } = status;
  if (typeof token !== 'string' && typeof certificate !== 'string') return fail('its answer has neither a token nor a certificate');
  if ((typeof certificate === 'string') !== (typeof key === 'string'))
    return fail('its answer has a certificate or a key without the other');
  const expiresAt = typeof expirationTimestamp === 'string' ? parseTime(expirationTimestamp) : undefined;
  return {
    ...(typeof token === 'string' ? { token } : {}),
    ...(typeof certificate === 'string' && typeof key === 'string' ? { clientCertificate: certificate, clientKey: key } : {}),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

function parseOutput(output: string, fail: (problem: string) => never): unknown {
  try {
    return JSON.parse(output);
  } catch (error) {
    // The error message may contain the position, but must not quote the text at that position.
    const at = /position \d+/.exec(errorMessage(error))?.[0] ?? 'its start';
    return fail(`its output is not JSON (at ${at})`);
  }
}
