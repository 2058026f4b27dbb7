import { lookup } from 'node:dns';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressRefusal } from './addresses.js';
import type { WebhookAnswer, WebhookCall, WebhookTransport } from '../contract.js';

/**
 * The maximum size of a response. It is larger than any review, because objects are at most 3 MiB and a conversion review contains at most
 * a few hundred objects.
 */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * Returns a transport that posts JSON over TLS. The call specifies the trusted authorities. Redirects are returned, not followed. The
 * transport never connects to an address for which `refusalOf` returns a reason, whether the address comes from a URL, an endpoint or a
 * resolved name.
 */
export function httpsTransport(refusalOf: AddressRefusal): WebhookTransport {
  // The agent keeps a few idle sockets for later calls, for a limited time. Idle sockets do not keep the process alive, and are not shared
  // with other transports, which may allow other addresses.
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 4, timeout: 90_000, lookup: lookupAllowed(refusalOf) });
  return async (call, signal) => {
    const body = JSON.stringify(call.body);
    try {
      assertAllowed(call, refusalOf);
      return await exchange(call, body, agent, signal);
    } catch (error) {
      throw new Error(explain(error, call), { cause: error });
    }
  };
}

class RefusedAddressError extends Error {}

/** Checks a literal address, which is not resolved and therefore not checked by `lookupAllowed`. */
function assertAllowed({ url, address }: WebhookCall, refusalOf: AddressRefusal): void {
  const host = address?.host ?? hostOf(new URL(url));
  const refusal = isIP(host) ? refusalOf(host) : undefined;
  if (refusal !== undefined) throw new RefusedAddressError(refusal);
}

/** Resolves a name to its allowed addresses, so that the connection is made to an address that was checked. */
function lookupAllowed(refusalOf: AddressRefusal): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const allowed = found.filter(({ address }) => refusalOf(address) === undefined);
      const [first] = allowed;
      if (!first) return callback(new RefusedAddressError(refusalOf(found[0]?.address ?? '')), []);
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

async function exchange(call: WebhookCall, body: string, agent: Agent, signal: AbortSignal): Promise<WebhookAnswer> {
  const url = new URL(call.url);
  const servername = hostOf(url);
  const request = httpsRequest({
    agent,
    signal,
    method: 'POST',
    host: call.address?.host ?? servername,
    port: call.address?.port ?? (url.port || 443),
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, 'content-type': 'application/json', accept: 'application/json', 'content-length': Buffer.byteLength(body) },
    ...(call.authorities === undefined ? {} : { ca: call.authorities }),
    ...(isIP(servername) ? {} : { servername }),
  });
  request.end(body);
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return await read(response);
  } catch (error) {
    // If the webhook's server closed a kept-alive connection, this is not a failure of the webhook. Send the review again, which is allowed
    // because a webhook may receive a review twice.
    if (request.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET') return exchange(call, body, agent, signal);
    throw error;
  }
}

async function read(response: IncomingMessage): Promise<WebhookAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) {
      response.destroy();
      throw new Error(`the answer has more than ${MAX_ANSWER_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  const contentType = response.headers['content-type'] ?? '';
  return { status: response.statusCode ?? 0, contentType, text: Buffer.concat(chunks).toString('utf8') };
}

const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
]);

/** Explains an error with the messages of Go's client, because users search for them and scripts match them. */
function explain(error: unknown, { url, address }: WebhookCall): string {
  const { code = '', message, reason } = error as NodeJS.ErrnoException & { readonly reason?: string };
  const { host, port } = address ?? { host: hostOf(new URL(url)), port: new URL(url).port || 443 };
  if (error instanceof RefusedAddressError) return `dial tcp ${host}:${port}: ${message}`;
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (code === 'ECONNREFUSED') return `dial tcp ${target}: connect: connection refused`;
  if (code === 'EHOSTUNREACH') return `dial tcp ${target}: connect: no route to host`;
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${host}: no such host`;
  if (code === 'ECONNRESET') return 'EOF';
  if (UNTRUSTED.has(code)) return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `tls: failed to verify certificate: x509: ${reason ?? message}`;
  return message;
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
