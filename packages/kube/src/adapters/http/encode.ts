import type { ApiRequest } from '@outrigger/core';
import type { Impersonation } from '../../kubeconfig/connection.js';
import type { Headers, Message } from './carrier.js';

/**
 * Encodes a request for HTTP. `prefix` is the path of the server's root. Requests compression only for reads, and not for watches, because
 * servers compress only large responses and a watch consists of many small events.
 */
export function encode(request: ApiRequest, prefix: string, headers: Headers, compress: boolean): Message {
  const isWatch = request.watch === true;
  const encoding = compress && request.method === 'GET' && !isWatch ? { 'accept-encoding': 'gzip' } : {};
  return {
    method: request.method,
    path: `${prefix}${request.path}${queryString(request.query)}`,
    headers: { ...encoding, ...request.headers, ...headers },
    ...(request.body === undefined ? {} : { body: request.body instanceof Uint8Array ? request.body : JSON.stringify(request.body) }),
    isWatch,
    gatherMs: request.gatherMs,
  };
}

function queryString(query: ApiRequest['query']): string {
  if (!query) return '';
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((it) => [name, it] as const),
  );
  return pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`;
}

/**
 * Returns the impersonation headers. Each group gets a separate header line, because the server would read several groups in one line,
 * separated by commas, as one group.
 */
export function impersonationHeaders(impersonate: Impersonation | undefined): Headers {
  if (!impersonate) return {};
  const extra = Object.entries(impersonate.extra).map(
    ([key, values]) => [`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`, values] as const,
  );
  return {
    'impersonate-user': impersonate.user,
    ...(impersonate.groups.length > 0 ? { 'impersonate-group': impersonate.groups } : {}),
    ...(impersonate.uid === undefined ? {} : { 'impersonate-uid': impersonate.uid }),
    ...Object.fromEntries(extra),
  };
}
