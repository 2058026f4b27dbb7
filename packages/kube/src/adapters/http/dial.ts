import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, connect as netConnect, type Socket } from 'node:net';
import {
  type ConnectionOptions,
  type SecureContext,
  type SecureContextOptions,
  type TLSSocket,
  createSecureContext,
  connect as tlsConnect,
} from 'node:tls';
import type { Runtime } from '@outrigger/core';
import { ConnectionError } from '../../client/connection-error.js';
import { connectionFailure } from '../../client/connection-failure.js';

export interface DialTarget {
  readonly server: URL;
  readonly proxy: URL | undefined;
  readonly tls: Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername'>;
}

/**
 * Opens connections to one server. If a connection cannot be opened, no request has reached the server, so every error has `sent: false`.
 * `highWaterMark` is the number of bytes that a TLS connection reads ahead.
 */
export type Dial = (alpn: readonly string[], highWaterMark?: number) => Promise<Socket>;

const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 30_000;

export function createDial({ server, proxy, tls }: DialTarget, runtime: Runtime): Dial {
  const isSecure = server.protocol === 'https:';
  const port = Number(server.port || (isSecure ? 443 : 80));
  const host = server.hostname.replace(/^\[|\]$/g, '');
  /** The last TLS session, which the next connection resumes. */
  let session: Buffer | undefined;
  /**
   * The parsed certificates and key. All connections share them, because parsing costs more than all other steps of opening a connection.
   */
  let secureContext: SecureContext | undefined;

  async function open(alpn: readonly string[], own: Socket[], highWaterMark: number | undefined): Promise<Socket> {
    const plain = proxy ? await tunnel(proxy, `${server.hostname}:${port}`, tls, own) : netConnect({ host, port });
    own.push(plain);
    if (!isSecure) return proxy ? plain : ready(plain, 'connect');
    if (!proxy) await ready(plain, 'connect');
    const servername = tls.servername ?? (isIP(host) ? undefined : host);
    secureContext ??= createSecureContext({ ...material(tls), ...partialChains(tls) });
    const secure = tlsConnect({
      ...(tls.rejectUnauthorized === undefined ? {} : { rejectUnauthorized: tls.rejectUnauthorized }),
      secureContext,
      socket: plain,
      host,
      ALPNProtocols: [...alpn],
      ...(servername === undefined ? {} : { servername }),
      ...(session ? { session } : {}),
      ...(highWaterMark === undefined ? {} : { highWaterMark }),
    });
    own.push(secure);
    secure.on('session', (next: Buffer) => {
      session = next;
    });
    return ready(secure, 'secureConnect');
  }

  return async (alpn, highWaterMark) => {
    const own: Socket[] = [];
    let cancel: () => void = () => undefined;
    const late = new Promise<never>((_, reject) => {
      cancel = runtime.timers.after(CONNECT_TIMEOUT_MS, () => reject(timeout(server)));
    });
    try {
      const socket = await Promise.race([open(alpn, own, highWaterMark), late]);
      socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
      return socket;
    } catch (error) {
      for (const socket of own) socket.destroy();
      // Do not resume this TLS session again, because the server may have rejected the certificate with which the session was opened.
      session = undefined;
      throw connectionFailure(error, server.origin, false);
    } finally {
      cancel();
    }
  };
}

async function ready<S extends Socket | TLSSocket>(socket: S, event: 'connect' | 'secureConnect'): Promise<S> {
  await once(socket, event);
  return socket;
}

function timeout(server: URL): ConnectionError {
  return new ConnectionError(
    `${server.origin}: no connection within ${CONNECT_TIMEOUT_MS / 1000} s: check the address, firewalls and proxies`,
    {
      code: 'CONNECT_TIMEOUT',
      server: server.origin,
      sent: false,
    },
  );
}

function material({ ca, cert, key }: DialTarget['tls']): SecureContextOptions {
  return { ...(ca === undefined ? {} : { ca }), ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }) };
}

/** Trusts a configured CA directly, as Go's client does. This CA may therefore be an intermediate one or the server's own certificate. */
function partialChains({ ca }: DialTarget['tls']): Pick<SecureContextOptions, 'allowPartialTrustChain'> {
  return ca === undefined ? {} : { allowPartialTrustChain: true };
}

/**
 * TLS options for a proxy. The proxy's certificate must be for the proxy's own name and is verified with the authorities of this machine
 * and the CA in the kubeconfig. The client certificate is sent only to the API server.
 */
function proxyTls({ ca, rejectUnauthorized }: DialTarget['tls']): Pick<ConnectionOptions, 'rejectUnauthorized' | 'secureContext'> {
  const verified = rejectUnauthorized === undefined ? {} : { rejectUnauthorized };
  if (ca === undefined) return verified;
  const secureContext = createSecureContext({ allowPartialTrustChain: true });
  // Add the CA to the context, because the `ca` option would replace the authorities of this machine, including NODE_EXTRA_CA_CERTS.
  const { context } = secureContext as { readonly context: { addCACert(pem: unknown): void } };
  for (const authority of Array.isArray(ca) ? ca : [ca]) context.addCACert(authority);
  return { ...verified, secureContext };
}

/** Requests a tunnel to `authority` from a proxy (RFC 9110, CONNECT). */
async function tunnel(proxy: URL, authority: string, tls: DialTarget['tls'], own: Socket[]): Promise<Socket> {
  const isSecure = proxy.protocol === 'https:';
  const open = isSecure ? httpsRequest : httpRequest;
  const request = open({
    ...(isSecure ? proxyTls(tls) : {}),
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    method: 'CONNECT',
    path: authority,
    agent: false,
    headers: { host: authority, ...proxyAuthorization(proxy) },
  });
  request.once('socket', (socket) => own.push(socket));
  request.end();
  try {
    const [response, socket] = (await once(request, 'connect')) as [{ statusCode?: number }, Socket];
    if (response.statusCode === 200) return socket;
    socket.destroy();
    throw new Error(`it answered ${response.statusCode} to CONNECT ${authority}`);
  } catch (error) {
    const failure = connectionFailure(error, proxy.origin, false);
    throw new ConnectionError(`proxy ${failure.message}`, { cause: error, code: failure.code, server: proxy.origin, sent: false });
  }
}

function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}
