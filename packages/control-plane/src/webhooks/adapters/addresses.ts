import { BlockList, isIP } from 'node:net';

/**
 * Address ranges in which webhooks may not be called unless the operator allows it, because they reach this machine or its cloud provider.
 */
const REFUSED: readonly (readonly [what: string, ranges: readonly string[]])[] = [
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['unspecified', ['0.0.0.0/8', '::/128']],
  ['link-local', ['169.254.0.0/16', 'fe80::/10']],
  ['a metadata service', ['100.100.100.200/32', 'fd00:ec2::254/128']],
  ['multicast or broadcast', ['224.0.0.0/4', '255.255.255.255/32', 'ff00::/8']],
];

/** Returns the reason for which a webhook may not be called at an address, or undefined if it may be called there. */
export type AddressRefusal = (address: string) => string | undefined;

/**
 * Returns a function that refuses the addresses in `REFUSED`, except those in `allowed`. The items of `allowed` are ranges (`127.0.0.0/8`,
 * `::1/128`) or single addresses. Throws if an item is neither.
 */
export function addressRefusal(allowed: readonly string[]): AddressRefusal {
  const refused = REFUSED.map(([what, ranges]) => [what, blockList(ranges)] as const);
  const allowance = blockList(allowed);
  return (address) => {
    const plain = embeddedIpv4(address) ?? address;
    const family = familyOf(plain);
    if (family === undefined) return `${address} is no IP address`;
    if (allowance.check(plain, family)) return undefined;
    const what = refused.find(([, list]) => list.check(plain, family))?.[0];
    return what === undefined ? undefined : `webhooks at the address ${address} (${what}) are not allowed on this server`;
  };
}

/** Returns the problem with a text that is not a range of addresses, or undefined if it is one. */
export function addressRangeProblem(range: string): string | undefined {
  return parseRange(range) === undefined ? `${JSON.stringify(range)} is no range of addresses such as 127.0.0.0/8` : undefined;
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const parsed = parseRange(range);
    if (parsed === undefined) throw new Error(addressRangeProblem(range));
    list.addSubnet(...parsed);
  }
  return list;
}

function parseRange(range: string): readonly [address: string, length: number, family: 'ipv4' | 'ipv6'] | undefined {
  const [address = '', bits, ...rest] = range.split('/');
  const family = familyOf(address);
  if (family === undefined || rest.length > 0) return undefined;
  const most = family === 'ipv4' ? 32 : 128;
  const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : NaN;
  return length <= most ? [address, length, family] : undefined;
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address);
  return version === 4 ? 'ipv4' : version === 6 ? 'ipv6' : undefined;
}

/** IPv6 addresses that embed an IPv4 address: mapped, translated, compatible, NAT64 and 6to4. */
const EMBEDDINGS: readonly (readonly [prefix: readonly number[], at: number])[] = [
  [[0, 0, 0, 0, 0, 0xffff], 6],
  [[0, 0, 0, 0, 0xffff, 0], 6],
  [[0, 0, 0, 0, 0, 0], 6],
  [[0x64, 0xff9b, 0, 0, 0, 0], 6],
  [[0x2002], 1],
];

function embeddedIpv4(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined;
  const groups = groupsOf(address);
  const found = EMBEDDINGS.find(([prefix]) => prefix.every((group, i) => groups[i] === group));
  if (!found) return undefined;
  const [, at] = found;
  const [high = 0, low = 0] = groups.slice(at);
  // The addresses `::` and `::1` embed no IPv4 address.
  if (at === 6 && groups[5] === 0 && groups[4] === 0 && high === 0 && low <= 1) return undefined;
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** Returns the eight groups of a valid IPv6 address, without its zone. */
function groupsOf(address: string): readonly number[] {
  const [text = ''] = address.split('%');
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const hex = (high: string | undefined, low: string | undefined): string => (Number(high) * 256 + Number(low)).toString(16);
  const plain = dotted ? `${dotted[1]}${hex(dotted[2], dotted[3])}:${hex(dotted[4], dotted[5])}` : text;
  const [head = '', tail] = plain.split('::');
  const parse = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const start = parse(head);
  const end = parse(tail ?? '');
  return tail === undefined ? start : [...start, ...Array<number>(8 - start.length - end.length).fill(0), ...end];
}
