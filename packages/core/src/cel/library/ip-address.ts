export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

export interface IpPrefix {
  readonly address: IpAddress;
  readonly length: number;
}

const GROUP = /^[0-9a-fA-F]{1,4}$/;
const OCTET = /^(0|[1-9]\d{0,2})$/;

/** Parses an address. Returns undefined for addresses that Kubernetes rejects: with zones, with leading zeros, or IPv4 mapped to IPv6. */
export function parseIp(text: string): IpAddress | undefined {
  if (!text.includes(':')) return parseIpv4(text);
  const address = parseIpv6(text);
  const isMapped = address !== undefined && address.value >> 32n === 0xffffn;
  return isMapped ? undefined : address;
}

export function parseCidr(text: string): IpPrefix | undefined {
  const [, addressText = '', lengthText = ''] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const address = parseIp(addressText);
  const length = Number(lengthText);
  return address !== undefined && length <= bitsOf(address) ? { address, length } : undefined;
}

function parseIpv4(text: string): IpAddress | undefined {
  const octets = text.split('.');
  if (octets.length !== 4 || !octets.every((octet) => OCTET.test(octet) && Number(octet) <= 255)) return undefined;
  return { family: 4, value: octets.reduce((value, octet) => value * 256n + BigInt(octet), 0n) };
}

function parseIpv6(text: string): IpAddress | undefined {
  const halves = expandIpv4Tail(text).split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => (half === '' ? [] : half.split(':'))) as [string[], string[] | undefined];
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array<string>(missing).fill('0'), ...(tail ?? [])];
  if (!groups.every((group) => GROUP.test(group))) return undefined;
  return { family: 6, value: groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n) };
}

/** Rewrites `::ffff:1.2.3.4` as `::ffff:102:304`. An invalid tail is kept, because the check of the groups rejects it. */
function expandIpv4Tail(text: string): string {
  const at = text.lastIndexOf(':') + 1;
  const tail = text.slice(at).includes('.') ? parseIpv4(text.slice(at)) : undefined;
  if (tail === undefined) return text;
  return `${text.slice(0, at)}${(tail.value >> 16n).toString(16)}:${(tail.value & 0xffffn).toString(16)}`;
}

/** Returns the canonical form: lower case, with the longest run of at least two zero groups (the first of equal runs) shortened. */
export function formatIp({ family, value }: IpAddress): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - i * 16)) & 0xffffn).toString(16));
  const runs = groups.map((_, start) => zeroRun(groups, start));
  const longest = Math.max(...runs);
  if (longest < 2) return groups.join(':');
  const start = runs.indexOf(longest);
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + longest).join(':')}`;
}

function zeroRun(groups: readonly string[], start: number): number {
  const end = groups.findIndex((group, i) => i >= start && group !== '0');
  return (end < 0 ? groups.length : end) - start;
}

export function maskIp(address: IpAddress, length: number): IpAddress {
  const hostBits = BigInt(bitsOf(address) - length);
  return { family: address.family, value: (address.value >> hostBits) << hostBits };
}

export function prefixContains(outer: IpPrefix, inner: IpPrefix): boolean {
  if (outer.address.family !== inner.address.family || inner.length < outer.length) return false;
  return maskIp(inner.address, outer.length).value === maskIp(outer.address, outer.length).value;
}

function bitsOf({ family }: IpAddress): number {
  return family === 4 ? 32 : 128;
}
