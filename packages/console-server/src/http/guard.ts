import { WRITE_HEADER } from '@outrigger/console-contract';
import { type Headers, type HttpAnswer, type HttpRequest, failure } from './messages.js';

/**
 * The headers that the server sends with every response. They allow scripts, styles and connections only from this server, and forbid other
 * pages to embed the console in a frame.
 */
export const SECURITY_HEADERS: Headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; " +
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

/** Maximum length of path and query; longer URLs are rejected before they are parsed. */
export const MAX_URL_LENGTH = 16_384;

/**
 * Rejects requests that another site can cause: requests with another host name (DNS rebinding) and requests from another origin. Returns
 * undefined if the request is allowed.
 */
export function guard({ method, url, headers }: HttpRequest, hosts: readonly string[]): HttpAnswer | undefined {
  const host = headers['host']?.toLowerCase() ?? '';
  if (!hosts.includes(host))
    return failure('forbidden', `the console does not answer to the host name ${JSON.stringify(host.slice(0, 100))}`);
  if (url.length > MAX_URL_LENGTH) return failure('too-large', 'the address is too long');
  const origin = headers['origin'];
  if (origin !== undefined && !hosts.some((one) => origin === `http://${one}` || origin === `https://${one}`))
    return failure('forbidden', 'the request comes from another site');
  const site = headers['sec-fetch-site'];
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && method === 'GET' && !url.startsWith('/api/');
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isNavigation)
    return failure('forbidden', 'the request comes from another site');
  return undefined;
}

/** Rejects writes without the header that only this app sends, because other sites can make a browser send such writes (CSRF). */
export function guardWrite({ method, headers }: HttpRequest): HttpAnswer | undefined {
  if (method === 'GET' || method === 'HEAD') return undefined;
  if (headers[WRITE_HEADER] !== '1') return failure('forbidden', `a request that changes something needs the header ${WRITE_HEADER}: 1`);
  const type = headers['content-type'];
  return type === undefined || type.startsWith('application/json') ? undefined : failure('bad-request', 'the body must be JSON');
}
