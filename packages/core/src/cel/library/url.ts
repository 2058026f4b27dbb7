import { CelEvaluationError, shown } from '../errors.js';
import { type CelFunction, define, defineMember } from '../functions.js';
import { BOOL, listOf, mapOf, opaque, STRING } from '../types.js';
import { type CelKey, CelOpaque, type CelValue, LiteralMap } from '../values.js';

const TYPE_NAME = 'net.URL';
const URL_TYPE = opaque(TYPE_NAME);
const HIERARCHICAL =
  /^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/(?:([^/?#@]*)@)?(\[[0-9A-Fa-f:.]+\]|[^/?#:@[\]]*)(?::(\d*))?)?(\/[^?]*|)(?:\?(.*))?$/s;
const OPAQUE = /^([A-Za-z][A-Za-z0-9+.-]*):([^/?][^?]*)(?:\?(.*))?$/s;

class CelUrl extends CelOpaque {
  readonly typeName = TYPE_NAME;
  readonly text: string;
  readonly scheme: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  readonly query: string;

  constructor(text: string, parts: { scheme?: string; hostname?: string; port?: string; path?: string; query?: string }) {
    super();
    this.text = text;
    this.scheme = parts.scheme ?? '';
    this.hostname = parts.hostname ?? '';
    this.port = parts.port ?? '';
    this.path = parts.path ?? '';
    this.query = parts.query ?? '';
  }
  equals(other: CelOpaque): boolean {
    return other instanceof CelUrl && this.text === other.text;
  }
}

/** Parses an absolute URI or an absolute path, as Go's `url.ParseRequestURI` requires. Returns undefined for anything else. */
function parseUrl(text: string): CelUrl | undefined {
  if (text === '' || /[\x00-\x1f\x7f]/.test(text) || /%(?![0-9A-Fa-f]{2})/.test(text.split('?')[0] ?? '')) return undefined;
  const match = HIERARCHICAL.exec(text);
  if (match !== null) {
    const [, scheme, , hostname, port, path, query] = match;
    if (scheme === undefined && path === '') return undefined;
    if (/[\s"<>\\^`{|}]/.test(hostname ?? '')) return undefined;
    return new CelUrl(text, without({ scheme: scheme?.toLowerCase(), hostname, port, path, query }));
  }
  const [, scheme, , query] = OPAQUE.exec(text) ?? [];
  return scheme === undefined ? undefined : new CelUrl(text, without({ scheme: scheme.toLowerCase(), query }));
}

function without<T extends Record<string, string | undefined>>(parts: T): { [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: string };
}

function toUrl(text: string): CelUrl {
  const url = parseUrl(text);
  if (url === undefined)
    throw new CelEvaluationError(`URL parse error during conversion from string: parse ${shown(text)}: invalid URI for request`);
  return url;
}

function host({ hostname, port }: CelUrl): string {
  return port === '' ? hostname : `${hostname}:${port}`;
}

function escapedPath({ path }: CelUrl): string {
  return path.replaceAll(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%[\]]/gu, (char) =>
    /^[\ud800-\udfff]$/.test(char) ? '%EF%BF%BD' : encodeURIComponent(char),
  );
}

function queryMap({ query }: CelUrl): CelValue {
  const map = new Map<CelKey, string[]>();
  for (const pair of query.split('&').filter((part) => part !== '')) {
    const [key = '', ...rest] = pair.split('=');
    const name = decode(key);
    const values = map.get(name) ?? [];
    values.push(decode(rest.join('=')));
    map.set(name, values);
  }
  return new LiteralMap(map);
}

/**
 * Decodes a query parameter. Go drops pairs that it cannot decode; this function keeps them undecoded, which is closer to the user's
 * intent.
 */
function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

/** The functions for URLs, such as `url("https://example.com:80/path?a=b").getHostname()`. */
export const URLS: readonly CelFunction[] = [
  define('url', [STRING], URL_TYPE, toUrl),
  define('isURL', [STRING], BOOL, (text: string) => parseUrl(text) !== undefined),
  define('string', [URL_TYPE], STRING, ({ text }: CelUrl) => text),
  defineMember('getScheme', [URL_TYPE], STRING, ({ scheme }: CelUrl) => scheme),
  defineMember('getHost', [URL_TYPE], STRING, host),
  defineMember('getHostname', [URL_TYPE], STRING, ({ hostname }: CelUrl) => hostname.replace(/^\[(.*)\]$/, '$1')),
  defineMember('getPort', [URL_TYPE], STRING, ({ port }: CelUrl) => port),
  defineMember('getEscapedPath', [URL_TYPE], STRING, escapedPath),
  defineMember('getQuery', [URL_TYPE], mapOf(STRING, listOf(STRING)), queryMap),
];
