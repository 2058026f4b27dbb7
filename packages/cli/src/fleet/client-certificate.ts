import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isApiError, toTime } from '@outrigger/core';
import { type ConnectionConfig, isConnectionError } from '@outrigger/kube';
import { CommandError, EXIT } from '../failure.js';

/**
 * Returns an error that names the client certificate of the kubeconfig, if the server refused the connection or the credentials and the
 * certificate is not valid yet by the clock of this machine. Returns undefined for other failures. Unlike an expired certificate, such a
 * certificate is not reported before the connection, because a server whose clock is ahead of this machine's accepts it.
 */
export async function notYetValid(
  error: unknown,
  { server, clientCertificate, origin, certificateUser }: ConnectionConfig,
  nowMs: number,
): Promise<CommandError | undefined> {
  if (clientCertificate === undefined || !mayBeRefused(error)) return undefined;
  const pem = 'data' in clientCertificate ? clientCertificate.data : await readFile(clientCertificate.file, 'utf8');
  const from = Date.parse(new X509Certificate(pem).validFrom);
  if (nowMs >= from) return undefined;
  const whose = [...(certificateUser === undefined ? [] : [`user "${certificateUser}"`]), ...(origin === undefined ? [] : [origin])];
  return new CommandError(
    `the hub ${server} does not accept the client certificate of ${whose.join(' of ')}: it is valid from ${toTime(from)}, and the clock of this machine shows ${toTime(nowMs)}: correct the clock, or ask an administrator of the hub for a new certificate`,
    EXIT.unreachable,
    { cause: error },
  );
}

/**
 * Whether the server may have refused a certificate. A kube-apiserver responds with Unauthorized. Other servers and load balancers end the
 * TLS handshake with an alert or close the connection.
 */
function mayBeRefused(error: unknown): boolean {
  if (isApiError(error, 'Unauthorized')) return true;
  return isConnectionError(error) && /^(ERR_SSL_|ERR_HTTP2_|EPROTO$|ECONNRESET$|EPIPE$|UND_ERR_SOCKET$)/.test(error.code);
}
