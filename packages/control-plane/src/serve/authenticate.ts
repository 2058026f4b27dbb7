import { ApiError } from '@outrigger/core';
import type { TokenAuthenticator } from '../auth/authenticator.js';
import { ANONYMOUS } from '../auth/identities.js';
import { type HeaderLines, impersonate } from '../auth/impersonation.js';
import type { Authorizer, Identity } from '../handle/contract.js';
import { bearerToken } from './parse.js';

/** The credential of a TLS connection, from its certificate. An `invalid` certificate does not prove an identity. */
export type ConnectionCredential = { readonly identity: Identity; readonly expiresAt: number } | 'none' | 'invalid';

export interface AuthenticationServices {
  readonly authenticateToken: TokenAuthenticator;
  readonly authorize: Authorizer;
  /** Returns the wall time in milliseconds. */
  readonly now: () => number;
}

/**
 * Returns the identity of a request, including impersonation. Invalid credentials are rejected, not ignored; only a request without
 * credentials is anonymous.
 */
export async function authenticate(
  connection: ConnectionCredential,
  headers: HeaderLines,
  services: AuthenticationServices,
): Promise<Identity> {
  const caller = fromConnection(connection, services.now()) ?? (await fromToken(headers, services)) ?? fallback(connection);
  return impersonate(headers, caller, services.authorize);
}

/**
 * Returns the identity of a connection. After its certificate has expired, the connection has no identity: a connection may last for days
 * after its handshake.
 */
function fromConnection(connection: ConnectionCredential, now: number): Identity | undefined {
  return typeof connection === 'object' && now < connection.expiresAt ? connection.identity : undefined;
}

async function fromToken(headers: HeaderLines, { authenticateToken }: AuthenticationServices): Promise<Identity | undefined> {
  const token = bearerToken(headers);
  if (token === undefined) return undefined;
  const verdict = await authenticateToken(token);
  if ('identity' in verdict) return verdict.identity;
  throw unauthorized();
}

function fallback(connection: ConnectionCredential): Identity {
  if (connection === 'none') return ANONYMOUS;
  throw unauthorized();
}

/** Returns the Unauthorized error. It does not contain the reason, which is only in the server's log. */
function unauthorized(): ApiError {
  return new ApiError('Unauthorized', 'Unauthorized');
}
