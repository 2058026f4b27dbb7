import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createPlainServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface Certificates {
  readonly ca: Certificate;
  readonly otherCa: Certificate;
  /** For 127.0.0.1 and the name `api.test`. */
  readonly server: Certificate;
  readonly expiredServer: Certificate;
  readonly client: Certificate;
  readonly nextClient: Certificate;
  readonly expiredClient: Certificate;
}

let made: Certificates | undefined;

/** Certificates of a throw-away authority, made once per test process. */
export function certificates(): Certificates {
  made ??= make();
  return made;
}

function make(): Certificates {
  const dir = mkdtempSync(join(tmpdir(), 'certificates-'));
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' });
  const read = (name: string): Certificate => ({
    cert: readFileSync(join(dir, `${name}.crt`), 'utf8'),
    key: readFileSync(join(dir, `${name}.key`), 'utf8'),
  });
  const key = (name: string): void => openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', `${name}.key`);
  const authority = (name: string): Certificate => {
    key(name);
    openssl('req', '-x509', '-new', '-key', `${name}.key`, '-subj', `/CN=${name}`, '-days', '2', '-out', `${name}.crt`);
    return read(name);
  };
  const issue = (name: string, extension: string, days: string): Certificate => {
    key(name);
    openssl('req', '-new', '-key', `${name}.key`, '-subj', `/O=testers/CN=${name}`, '-out', `${name}.csr`);
    writeFileSync(join(dir, `${name}.ext`), extension);
    const signing = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', days, '-extfile', `${name}.ext`];
    openssl('x509', '-req', '-in', `${name}.csr`, ...signing, '-out', `${name}.crt`);
    return read(name);
  };
  const names = 'subjectAltName=IP:127.0.0.1,DNS:api.test\nextendedKeyUsage=serverAuth\n';
  try {
    return {
      ca: authority('ca'),
      otherCa: authority('other-ca'),
      server: issue('server', names, '2'),
      expiredServer: issue('expired-server', names, '-1'),
      client: issue('client', 'extendedKeyUsage=clientAuth\n', '2'),
      nextClient: issue('next-client', 'extendedKeyUsage=clientAuth\n', '2'),
      expiredClient: issue('expired-client', 'extendedKeyUsage=clientAuth\n', '-1'),
    };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

export type Handle = (request: IncomingMessage, response: ServerResponse, who: string) => void;

export interface TestServer {
  readonly url: string;
  /** Connections accepted so far. */
  readonly connections: () => number;
  /** Cuts every connection without a word. */
  cut(): void;
  stop(): Promise<void>;
}

/** A TLS server that speaks HTTP/1.1 and HTTP/2 and tells the handler the common name of the client's certificate. */
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

/** Passes bytes on to a server until frozen: from then on both sides see a silent, open connection. */
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

/** A proxy that only tunnels; records what it was asked for. */
export async function startProxy(asked: string[], credentials?: string): Promise<TestServer> {
  const server = createPlainServer((_, response) => response.writeHead(405).end());
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
  return listen(server, 'http');
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
