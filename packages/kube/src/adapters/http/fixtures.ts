import { createServer as createPlainServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { createCertificateAuthority, type IssuedCertificate, issueClientCertificate, issueServerCertificate } from '@outrigger/core/x509';
import { createRealRuntime } from '../real-runtime.js';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface Certificates {
  readonly ca: Certificate;
  readonly otherCa: Certificate;
  /** A certificate for 127.0.0.1 and the name `api.test`. */
  readonly server: Certificate;
  readonly expiredServer: Certificate;
  readonly client: Certificate;
  readonly nextClient: Certificate;
  readonly expiredClient: Certificate;
}

const made = await make();

/** Certificates from a throw-away authority, created once per test process. */
export function certificates(): Certificates {
  return made;
}

async function make(): Promise<Certificates> {
  const { keys, clock, random, scope } = createRealRuntime();
  const HOUR_MS = 3_600_000;
  const now = clock.now();
  const valid = () => ({ notBefore: now - HOUR_MS, notAfter: now + HOUR_MS, serial: random.bytes(16) });
  const expired = () => ({ notBefore: now - 2 * HOUR_MS, notAfter: now - HOUR_MS, serial: random.bytes(16) });
  const ca = await createCertificateAuthority(keys, { commonName: 'ca', ...valid() });
  const otherCa = await createCertificateAuthority(keys, { commonName: 'other-ca', ...valid() });
  const issuer = { ca: ca.certificate, caKey: ca.key, organizations: ['testers'] };
  const names = { dnsNames: ['api.test'], ips: ['127.0.0.1'] };
  const pair = ({ certificate, privateKey }: IssuedCertificate): Certificate => ({ cert: certificate, key: privateKey });
  const made = {
    ca: pair(ca),
    otherCa: pair(otherCa),
    server: pair(await issueServerCertificate(keys, { commonName: 'server', ...issuer, ...names, ...valid() })),
    expiredServer: pair(await issueServerCertificate(keys, { commonName: 'expired-server', ...issuer, ...names, ...expired() })),
    client: pair(await issueClientCertificate(keys, { commonName: 'client', ...issuer, ...valid() })),
    nextClient: pair(await issueClientCertificate(keys, { commonName: 'next-client', ...issuer, ...valid() })),
    expiredClient: pair(await issueClientCertificate(keys, { commonName: 'expired-client', ...issuer, ...expired() })),
  };
  scope.close();
  return made;
}

export type Handle = (request: IncomingMessage, response: ServerResponse, who: string) => void;

export interface TestServer {
  readonly url: string;
  /** The number of connections accepted so far. */
  readonly connections: () => number;
  /** Closes every connection abruptly. */
  cut(): void;
  stop(): Promise<void>;
}

/** A TLS server for HTTP/1.1 and HTTP/2 that passes the common name of the client's certificate to the handler. */
export function startTlsServer(handle: Handle, identity: Certificate = certificates().server): Promise<TestServer> {
  const server = createSecureServer({
    ...identity,
    ca: certificates().ca.cert,
    allowHTTP1: true,
    requestCert: true,
    rejectUnauthorized: false,
  });
  server.on('request', (request, response) => {
    const socket = request.stream?.session?.socket ?? request.socket;
    const peer = (socket as TLSSocket).getPeerCertificate();
    handle(request as unknown as IncomingMessage, response as unknown as ServerResponse, String(peer.subject?.CN ?? ''));
  });
  return listen(server as unknown as Server, 'https');
}

export function startPlainServer(handle: Handle): Promise<TestServer> {
  return listen(
    createPlainServer((request, response) => handle(request, response, '')),
    'http',
  );
}

/** Forwards bytes to a server until the relay is frozen. While the relay is frozen, both connections stay open, but no data passes. */
export async function startRelay(target: TestServer): Promise<TestServer & { freeze(): void }> {
  const sockets: Socket[] = [];
  const server = createTcpServer((client) => {
    const upstream = connect(Number(new URL(target.url).port), '127.0.0.1');
    sockets.push(client, upstream);
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
    client.pipe(upstream).pipe(client);
  });
  const relay = await listen(server as unknown as Server, 'https');
  const freeze = (): void => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  return { ...relay, freeze };
}

interface ProxyOptions {
  readonly credentials?: string;
  /** Makes it an https proxy. */
  readonly identity?: Certificate;
}

/** A proxy that only opens tunnels and records the requests for them. */
export async function startProxy(asked: string[], { credentials, identity }: ProxyOptions = {}): Promise<TestServer> {
  const refuse = (_: IncomingMessage, response: ServerResponse): void => void response.writeHead(405).end();
  const server = identity ? createHttpsServer(identity, refuse) : createPlainServer(refuse);
  server.on('connect', (request, client: Socket) => {
    asked.push(request.url ?? '');
    const wanted = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    if (wanted && request.headers['proxy-authorization'] !== wanted) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const [, port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  return listen(server, identity ? 'https' : 'http');
}

async function listen(server: Server, scheme: string): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    cut,
    async stop() {
      const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
      cut();
      await stopped;
    },
  };
}

export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
