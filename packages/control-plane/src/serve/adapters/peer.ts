import type { X509Certificate } from 'node:crypto';
import type { Http2ServerRequest } from 'node:http2';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { certificateIdentity } from '../../auth/identities.js';
import { parseSubject } from '../../auth/subject.js';
import type { ConnectionCredential } from '../authenticate.js';

export type AnyRequest = IncomingMessage | Http2ServerRequest;

/**
 * The credentials, keyed by connection. The certificate is parsed once per connection, because it cannot change after the handshake and
 * parsing it is the most expensive part of a request.
 */
const credentials = new WeakMap<object, ConnectionCredential>();

export function connectionCredential(request: AnyRequest): ConnectionCredential {
  // With HTTP/2, `request.socket` is a proxy, so the session is used as the key.
  const connection = 'stream' in request ? request.stream.session : request.socket;
  if (!connection) return 'none';
  const known = credentials.get(connection);
  if (known !== undefined) return known;
  const credential = readCredential(('socket' in connection ? connection.socket : connection) as TLSSocket);
  credentials.set(connection, credential);
  return credential;
}

function readCredential(socket: TLSSocket): ConnectionCredential {
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) return 'none';
  if (!socket.authorized) return 'invalid';
  return certificateCredential(certificate) ?? 'invalid';
}

/**
 * Returns the identity that a certificate proves, with the time at which the certificate expires. Returns undefined if the subject of the
 * certificate has no usable common name.
 */
export function certificateCredential(certificate: X509Certificate): ConnectionCredential | undefined {
  const subject = parseSubject(certificate.subject);
  if (!subject) return undefined;
  const sha256 = certificate.fingerprint256.replaceAll(':', '').toLowerCase();
  const identity = certificateIdentity(subject.commonName, subject.organizations, sha256);
  return { identity, expiresAt: Date.parse(certificate.validTo) };
}

/**
 * Returns a key for a connection. A connection has no single object that could be the key: its plain socket, its encrypted socket and its
 * session are different objects.
 */
export function peerOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress}|${remotePort}`;
}
