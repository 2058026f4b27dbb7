import { type ApiRequest, lazy } from '@outrigger/core';
import { methodNotAllowed } from '../handle/errors.js';
import type { HeaderLines } from '../auth/impersonation.js';
import { RESOURCES } from '../schemas/generated/resources.js';

const METHODS: Readonly<Record<string, ApiRequest['method']>> = {
  GET: 'GET',
  HEAD: 'GET',
  POST: 'POST',
  PUT: 'PUT',
  PATCH: 'PATCH',
  DELETE: 'DELETE',
};

const builtinGroups = lazy(() => new Set(RESOURCES.map(({ group }) => group)));

/** Whether the path supports HEAD. A real server supports it for all paths except those of built-in kinds. */
function answersHead(path: string): boolean {
  const [first, group = '', version] = path.split('/').filter((segment) => segment !== '');
  if (first === 'api' || first === 'version') return false;
  return first !== 'apis' || version === undefined || !builtinGroups().has(group);
}

/** Parses a request line and headers. The body is added when it has been read. */
export function parseRequest(method: string, url: string, headers: HeaderLines): Omit<ApiRequest, 'body'> {
  const apiMethod = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (!apiMethod) throw methodNotAllowed();
  // A client may send an absolute URL. The server ignores the host in it, as it ignores the name in the Host header.
  const target = url.replace(/^https?:\/\/[^/?]*/i, '');
  const question = target.indexOf('?');
  const path = question < 0 ? target : target.slice(0, question);
  if (method === 'HEAD' && !answersHead(path)) throw methodNotAllowed();
  const query = question < 0 ? {} : parseQuery(target.slice(question + 1));
  return { method: apiMethod, path, query, headers: joinHeaders(headers) };
}

/** The characters of a host and a port. */
const HOST = /^[A-Za-z0-9!$%&'()*+,\-.:;=[\]_~]*$/;

/**
 * Returns the text of the error response to an HTTP/1 request without a valid Host header, as Go's HTTP server sends it, or undefined if
 * the header is valid. HTTP/1.1 requires exactly one Host header, because two proxies may read a request with two hosts as requests for
 * different servers.
 */
export function hostProblem(httpVersion: string, lines: HeaderLines): string | undefined {
  const hosts = lines.filter(([name]) => name === 'host').map(([, value]) => value);
  if (hosts.length > 1) return '400 Bad Request';
  if (hosts.length === 0) return httpVersion === '1.1' ? '400 Bad Request: missing required Host header' : undefined;
  return HOST.test(hosts[0] ?? '') ? undefined : '400 Bad Request: malformed Host header';
}

/** Returns the request with its body as bytes, which the handler decodes. */
export function withBody(request: Omit<ApiRequest, 'body'>, body: Uint8Array): ApiRequest {
  if (body.length === 0) return request;
  return { ...request, body };
}

/** Parses a query. This must take linear time in the length of the text, because anonymous clients can send any query. */
export function parseQuery(text: string): Record<string, string | readonly string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const before = values.get(name);
    if (before) before.push(value);
    else values.set(name, [value]);
  }
  // `fromEntries` defines own members, so a parameter called `__proto__` is an ordinary parameter.
  return Object.fromEntries([...values].map(([name, list]) => [name, list.length === 1 ? String(list[0]) : list]));
}

/** Joins header lines. HTTP/2 pseudo headers (`:path`) and credentials are removed. */
function joinHeaders(lines: HeaderLines): Record<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of lines) {
    if (name.startsWith(':') || name === 'authorization' || name === 'cookie') continue;
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(joined);
}

/** Returns header lines from Node.js' list, in which names and values alternate. */
export function headerLines(rawHeaders: readonly string[]): HeaderLines {
  const lines: [string, string][] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push([String(rawHeaders[i]).toLowerCase(), String(rawHeaders[i + 1])]);
  return lines;
}

export function bearerToken(lines: HeaderLines): string | undefined {
  const value = lines.find(([name]) => name === 'authorization')?.[1] ?? '';
  const [, token] = /^bearer +(\S+)$/i.exec(value.trim()) ?? [];
  return token;
}
