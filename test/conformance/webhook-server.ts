import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCertificateAuthority, issueServerCertificate } from '@outrigger/core/x509';
import { createRealRuntime } from '@outrigger/kube/node';
import type { Obj } from './api.js';

const DAY_MS = 86_400_000;

/** The request in a review, as it was received. */
export interface Review {
  readonly uid: string;
  readonly kind: Readonly<Record<string, string>>;
  readonly resource: Readonly<Record<string, string>>;
  readonly requestKind: Readonly<Record<string, string>>;
  readonly requestResource: Readonly<Record<string, string>>;
  readonly subResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: string;
  readonly userInfo: { readonly username: string; readonly groups: readonly string[] };
  readonly object: Obj | null;
  readonly oldObject: Obj | null;
  readonly options: Readonly<Record<string, unknown>> | null;
  readonly dryRun: boolean;
  /** The requested version; set in a ConversionReview. */
  readonly desiredAPIVersion: string;
  readonly objects: readonly Obj[];
}

/** Handles a review: returns a response, to which the server adds the uid, or a raw HTTP response. */
export type Hook = (request: Review) => object | RawAnswer | Promise<object | RawAnswer>;

export class RawAnswer {
  readonly status: number;
  readonly text: string;
  constructor(status: number, text: string) {
    this.status = status;
    this.text = text;
  }
}

/** An HTTPS server on loopback that handles reviews with one hook per path. */
export interface WebhookServer {
  /** The CA certificate of the server: PEM in base64. */
  readonly caBundle: string;
  readonly port: number;
  url(path: string): string;
  /** Sets the hook that handles reviews at a path. */
  on(path: string, hook: Hook): void;
  close(): Promise<void>;
}

export async function startWebhookServer(): Promise<WebhookServer> {
  const { keys, clock, random } = createRealRuntime();
  const validity = { notBefore: clock.now() - DAY_MS, notAfter: clock.now() + DAY_MS };
  const authority = await createCertificateAuthority(keys, { commonName: 'webhook-ca', ...validity, serial: random.bytes(16) });
  const issuer = { ca: authority.certificate, caKey: authority.key, ...validity, serial: random.bytes(16) };
  const names = { commonName: 'webhook', ips: ['127.0.0.1'], dnsNames: ['hook.conformance.svc'] };
  const { certificate: cert, privateKey: key } = await issueServerCertificate(keys, { ...issuer, ...names });
  const hooks = new Map<string, Hook>();
  // An API server keeps idle connections for 90 s. If this server closed one earlier, a request that arrives at that moment would fail.
  const server = createServer({ cert, key, keepAliveTimeout: 120_000 }, (request, response) => {
    void answer(hooks, request).then(({ status, text }) => response.writeHead(status, { 'content-type': 'application/json' }).end(text));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    caBundle: Buffer.from(authority.certificate).toString('base64'),
    port,
    url: (path) => `https://127.0.0.1:${port}${path}`,
    on: (path, hook) => void hooks.set(path, hook),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(hooks: ReadonlyMap<string, Hook>, request: IncomingMessage): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const hook = hooks.get((request.url ?? '').split('?', 1)[0] ?? '');
  if (!hook) return new RawAnswer(404, 'nobody here');
  const review = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { apiVersion: string; kind: string; request: Review };
  const said = await hook(review.request);
  if (said instanceof RawAnswer) return said;
  const { apiVersion, kind } = review;
  return new RawAnswer(200, JSON.stringify({ apiVersion, kind, response: { uid: review.request.uid, ...said } }));
}
