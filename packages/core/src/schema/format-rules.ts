/** The predicates for formats that need more than one pattern: addresses, durations, base64. */

export function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
}

export function isIpv6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2 || !text.includes(':')) return false;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1)?.at(-1) ?? '';
  const dotted = last.includes('.');
  if (dotted && !isIpv4(last)) return false;
  const hex = groups.flat().filter((group) => group !== last || !dotted);
  const count = groups.flat().length + (dotted ? 1 : 0);
  if (!hex.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  return halves.length === 2 ? count < 8 : count === 8;
}

export function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  return (isIpv4(address) && Number(bits) <= 32) || (isIpv6(address) && Number(bits) <= 128);
}

/** Whether a string is an EUI-48, EUI-64 or 20-octet address, separated by colons, dashes or dots. */
export function isMac(text: string): boolean {
  const octets = /^[0-9a-fA-F]{2}([:-])(?:[0-9a-fA-F]{2}\1)+[0-9a-fA-F]{2}$/.test(text) ? text.split(/[:-]/).length : 0;
  const dotted = /^[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4})+$/.test(text) ? text.split('.').length * 2 : 0;
  return [6, 8, 20].includes(octets || dotted);
}

const HOST_LABEL = /^[a-zA-Z0-9\p{S}\p{L}]([-a-zA-Z0-9\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u;
const TOP_LABEL = /^[a-zA-Z\p{L}]{2,63}$/u;
const LONE_LABEL = /^[a-zA-Z0-9\p{S}\p{L}](-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?$/u;

/**
 * Whether a string is a hostname as the API server reads RFC 1034. The last of several labels contains only letters; a single label
 * contains at most one dash, as its second character.
 */
export function isHostname(text: string): boolean {
  if (text.length > 255) return false;
  const labels = text.split('.');
  const top = labels.pop() ?? '';
  return labels.length === 0 ? LONE_LABEL.test(top) : TOP_LABEL.test(top) && labels.every((label) => HOST_LABEL.test(label));
}

export function isEmail(text: string): boolean {
  const bare = /<([^<>]*)>\s*$/.exec(text)?.[1] ?? text;
  const at = bare.lastIndexOf('@');
  if (at < 1) return false;
  const local = bare.slice(0, at);
  const domain = bare.slice(at + 1);
  const isAtom = /^[\w!#$%&'*+/=?^`{|}~\u0080-\uffff-]+(\.[\w!#$%&'*+/=?^`{|}~\u0080-\uffff-]+)*$/.test(local);
  return (isAtom || /^"([^"\\\r\n]|\\.)*"$/.test(local)) && /^(\[[^[\]\s]+\]|[^\s@<>()[\],;:\\"]+)$/.test(domain);
}

/** Whether a string is an absolute URI or an absolute path, as allowed in an HTTP request line. */
export function isRequestUri(text: string): boolean {
  if (text === '' || /[\x00-\x20\x7f]/.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) return false;
  if (/^[^/?#]*\/\/[^/?#]*:\d*[^/?#:\]\d][^/?#:\]]*(?:[/?#]|$)/.test(text)) return false; // The port is not a number.
  return text.startsWith('/') || text === '*' || /^[a-zA-Z][a-zA-Z0-9+.-]*:./.test(text);
}

export function isBase64(text: string): boolean {
  return text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** Longer strings are rejected as durations, because the search for a unit starts at each digit and is slow on long strings. */
const MAX_DURATION_LENGTH = 1000;
const GO_DURATION = /^[-+]?(0|((\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/;
const UNITS: readonly (readonly string[])[] = [
  ['ns', 'nano'],
  ['us', 'µs', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
];

/** Whether a string is a Go duration (`1h30m`) or contains a number with a unit (`3 days`). */
export function isDuration(text: string): boolean {
  if (text.length > MAX_DURATION_LENGTH) return false;
  if (GO_DURATION.test(text)) return true;
  for (const [, unit = ''] of text.matchAll(/\d+\s*([A-Za-zµ]+)/g)) if (isUnit(unit.toLowerCase())) return true;
  return false;
}

function isUnit(unit: string): boolean {
  return UNITS.some((names) => names.includes(unit) || unit.startsWith(names.at(-1) ?? ' '));
}
