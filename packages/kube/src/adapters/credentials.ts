import { X509Certificate } from 'node:crypto';
import { type Runtime, toTime } from '@outrigger/core';
import { ConfigError, type ConnectionConfig, type PemSource } from '../kubeconfig/connection.js';
import type { ExecCredential } from '../kubeconfig/exec-credential.js';
import { type ExecContext, runExecPlugin } from './exec-plugin.js';
import { readTextFile } from './files.js';

/** The certificates and key of a connection. A new value means that connections must be opened again. */
export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** What authenticates a request. */
export interface Secrets {
  readonly tls: TlsMaterial;
  readonly headers: Readonly<Record<string, string>>;
}

/** The current credentials of one user. Files are read again, and plugins are run again, before the credentials expire. */
export interface Credentials {
  /** `tls` is the same JavaScript object as long as its content is unchanged. */
  current(): Promise<Secrets>;
  /**
   * Reads all credentials again after a 401 response to a request with the credentials `used`, unless they have changed since that request
   * was sent. Resolves with true if the credentials differ from `used`.
   */
  refresh(used: Secrets): Promise<boolean>;
}

/**
 * The time for which the content of a file is used before the file is read again. It can be this long because kubelets and certificate
 * managers replace files long before the credentials in them expire.
 */
const FILE_AGE_MS = 30_000;
/** A credential is renewed this long before it expires, so that it does not expire while a request is in flight. */
const EXPIRY_LEEWAY_MS = 30_000;

export function createCredentials(config: ConnectionConfig, runtime: Runtime, env: ExecContext['env']): Credentials {
  let loaded: { readonly secrets: Secrets; readonly staleAt: number } | undefined;
  let loading: Promise<Secrets> | undefined;
  let granted: ExecCredential | undefined;

  const isExpired = (credential: ExecCredential): boolean =>
    credential.expiresAt !== undefined && credential.expiresAt - EXPIRY_LEEWAY_MS <= runtime.clock.now();

  async function load(): Promise<Secrets> {
    const ca = await pem(config.ca, 'certificate authority');
    if (config.exec && (!granted || isExpired(granted))) {
      granted = await runExecPlugin(config.exec, { config, caData: ca, runtime, env });
    }
    const cert = granted?.clientCertificate ?? (await pem(config.clientCertificate, 'client certificate'));
    const key = granted?.clientKey ?? (await pem(config.clientKey, 'client key'));
    if (cert !== undefined) checkCertificate(cert, config, runtime.clock.now());
    const tls = { ...(ca === undefined ? {} : { ca }), ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }) };
    const old = loaded?.secrets.tls;
    const isSame = old !== undefined && old.ca === tls.ca && old.cert === tls.cert && old.key === tls.key;
    const secrets = { tls: isSame ? old : tls, headers: await authorization(config, granted) };
    loaded = { secrets, staleAt: runtime.clock.monotonic() + (isConstant(config) ? Number.POSITIVE_INFINITY : FILE_AGE_MS) };
    return secrets;
  }

  /** Reads the credentials again. Concurrent requests that find the credentials stale share one read. */
  function reload(): Promise<Secrets> {
    loading ??= load().finally(() => {
      loading = undefined;
    });
    return loading;
  }

  return {
    current: () => (loaded && runtime.clock.monotonic() < loaded.staleAt ? Promise.resolve(loaded.secrets) : reload()),
    async refresh(used) {
      if (loaded && isChanged(loaded.secrets, used)) return true;
      if (!loading) granted = undefined;
      return isChanged(await reload(), used);
    },
  };
}

function isChanged(now: Secrets, used: Secrets): boolean {
  return now.tls !== used.tls || now.headers['authorization'] !== used.headers['authorization'];
}

function isConstant({ ca, clientCertificate, clientKey, tokenFile, exec }: ConnectionConfig): boolean {
  const files = [ca, clientCertificate, clientKey].some((source) => source !== undefined && 'file' in source);
  return !files && tokenFile === undefined && exec === undefined;
}

async function pem(source: PemSource | undefined, label: string): Promise<string | undefined> {
  if (!source) return undefined;
  return 'data' in source ? source.data : readTextFile(source.file, label);
}

async function authorization(config: ConnectionConfig, granted: ExecCredential | undefined): Promise<Record<string, string>> {
  const text = granted?.token ?? (config.tokenFile ? await readTextFile(config.tokenFile, 'token file') : config.token);
  const token = text?.trim();
  if (token) return { authorization: `Bearer ${sendable(token, config)}` };
  if (!config.basic) return {};
  const { username, password } = config.basic;
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/**
 * Returns the token. Throws if the token contains characters that no token has, such as line breaks, because the connection would end
 * without giving a reason.
 */
function sendable(token: string, { origin }: ConnectionConfig): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new ConfigError(
    `token${origin ? ` of ${origin}` : ''}: contains spaces, line breaks or other characters that no token has: copy it again`,
  );
}

/**
 * Throws if the certificate has expired. This is checked before connecting, because servers close the connection without giving a reason.
 */
function checkCertificate(cert: string, config: ConnectionConfig, nowMs: number): void {
  const where = `${config.certificateUser === undefined ? '' : ` of user "${config.certificateUser}"`}${config.origin ? ` of ${config.origin}` : ''}`;
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(cert);
  } catch (error) {
    throw new ConfigError(`client certificate${where}: not a PEM certificate`, { cause: error });
  }
  const end = Date.parse(certificate.validTo);
  if (end < nowMs) throw new ConfigError(`client certificate${where}: expired on ${toTime(end)}: get a new one and connect again`);
}
