import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Returns a signed token for a user. It contains the user and a signature, so any thread that has the secret can create one that the server
 * accepts.
 */
export function signToken(secret: string, user: string, groups: readonly string[]): string {
  const claims = Buffer.from(JSON.stringify({ user, groups })).toString('base64url');
  return `${claims}.${signature(secret, claims)}`;
}

interface Claims {
  readonly user: string;
  readonly groups: readonly string[];
}

function verifyToken(secret: string, token: string): Claims | undefined {
  const [claims = '', given = ''] = token.split('.');
  const expected = Buffer.from(signature(secret, claims));
  const found = Buffer.from(given);
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) return undefined;
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Claims;
}

function signature(secret: string, claims: string): string {
  return createHmac('sha256', secret).update(claims).digest('base64url');
}

export interface TokenWebhook {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the webhook that kube-apiserver calls for unknown bearer tokens. */
export async function startTokenWebhook(secret: string): Promise<TokenWebhook> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString()) as { spec?: { token?: string } };
      const claims = verifyToken(secret, review.spec?.token ?? '');
      const status = claims ? { authenticated: true, user: { username: claims.user, groups: claims.groups } } : { authenticated: false };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', status }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => close(server) };
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve, reject) => server.close((error) => (error ? reject(error) : resolve())));
}
