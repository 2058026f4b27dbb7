import { errorMessage } from '@outrigger/core';
import { ConnectionError } from './connection-error.js';

const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection: is the API server running, and is the address right?',
  ENOTFOUND: 'no such host: check the server address and DNS',
  EAI_AGAIN: 'the name could not be resolved just now: check DNS',
  EHOSTUNREACH: 'no route to the host: check the network or a VPN',
  ENETUNREACH: 'the network is unreachable: check the network or a VPN',
  ETIMEDOUT: 'no answer to the connection attempt: check the address, firewalls and proxies',
  CONNECT_TIMEOUT: 'no answer to the connection attempt: check the address, firewalls and proxies',
  ECONNRESET: 'the connection was closed without an answer',
  EPIPE: 'the connection was closed without an answer',
  UND_ERR_SOCKET: 'the connection was closed without an answer',
  EPROTO: 'TLS could not be set up: does the server speak https at this port?',
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'the server does not speak the HTTP version we asked for',
  CERT_HAS_EXPIRED: "the server's certificate has expired: renew it on the server",
  CERT_NOT_YET_VALID: "the server's certificate is not valid yet: check the clocks on both sides",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for other names: use one of them, or set tls-server-name",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is not signed by the given CA: check certificate-authority",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's certificate is not signed by the given CA: check certificate-authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate is not signed by the given CA: check certificate-authority",
  UNABLE_TO_GET_ISSUER_CERT: "the server's certificate is not signed by the given CA: check certificate-authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the server's certificate is not signed by the given CA: check certificate-authority",
  HPE_INVALID_CONSTANT: 'the answer is not HTTP: does the server speak https at this port?',
};

/** Converts a system error into a one-line error that names the server and the remedy. The original error is its cause. */
export function connectionFailure(error: unknown, server: string, sent: boolean): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const code = codeOf(error);
  const advice = ADVICE[code] ?? (code.startsWith('ERR_SSL_') ? ADVICE['EPROTO'] : undefined);
  const detail = advice === undefined ? firstLine(errorMessage(error)) : `${advice} (${code})`;
  return new ConnectionError(`${server}: ${detail}`, { cause: error, code, server, sent });
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'UNKNOWN';
}
