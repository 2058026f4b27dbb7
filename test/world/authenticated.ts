import { type ControlPlane, type Identity, certificateIdentity } from '@outrigger/control-plane';
import { ApiError, type ApiResponse, type Transport } from '@outrigger/core';
import { readCertificate } from '@outrigger/core/x509';
import type { ConnectionConfig } from '@outrigger/kube';
import type { VirtualRuntime } from '@outrigger/kube/testing';

/** What a server accepts besides the tokens of its ServiceAccounts and certificates that have not expired. */
export interface Trust {
  /** The identity behind each further token. */
  readonly tokens?: Readonly<Record<string, Identity>>;
  /** The certificates that the server rejects although they have not expired, because their CA was replaced. */
  readonly distrusted?: ReadonlySet<string>;
}

/**
 * Authenticates requests as a server behind a socket would: derives the identity from the credentials of the current connection, and rejects
 * expired or distrusted certificates. `runtime` is that of the server.
 */
export function authenticated(
  server: ControlPlane,
  runtime: VirtualRuntime,
  config: () => ConnectionConfig,
  { tokens = {}, distrusted = new Set() }: Trust = {},
): Transport {
  return {
    async send(request, signal) {
      const { token, clientCertificate } = config();
      const certificate = clientCertificate && 'data' in clientCertificate ? clientCertificate.data : undefined;
      const identity =
        token !== undefined
          ? (tokens[token] ?? (await serviceAccountOf(token, runtime, server)))
          : certificate !== undefined && !distrusted.has(certificate)
            ? await identityOf(certificate, runtime)
            : undefined;
      return identity ? server.transport(identity).send(request, signal) : UNAUTHORIZED;
    },
    close: async () => undefined,
  };
}

async function identityOf(certificate: string, runtime: VirtualRuntime): Promise<Identity | undefined> {
  const { subject, notBefore, notAfter, fingerprint } = await readCertificate(runtime.keys, certificate);
  const now = runtime.clock.now();
  return notBefore <= now && now < notAfter ? certificateIdentity(subject.commonName, subject.organizations, fingerprint) : undefined;
}

/** Returns the identity of a service account token, as the server's TokenReview reports it, or undefined if the token is not valid. */
async function serviceAccountOf(token: string, runtime: VirtualRuntime, server: ControlPlane): Promise<Identity | undefined> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { token } };
  const { body } = await server.transport().send({ method: 'POST', path: '/apis/authentication.k8s.io/v1/tokenreviews', body: review });
  const { status } = body as { status?: { authenticated?: boolean; user?: { username: string; uid?: string; groups?: string[] } } };
  if (!status?.authenticated || !status.user) return undefined;
  const { username, uid, groups = [] } = status.user;
  runtime.scope.signal.throwIfAborted();
  return { user: username, groups, ...(uid === undefined ? {} : { uid }) };
}

const UNAUTHORIZED: ApiResponse = { status: 401, headers: {}, body: new ApiError('Unauthorized', 'Unauthorized').toStatus() };
