import { CelEvaluationError, shown } from '../errors.js';
import { type CelFunction, define, defineMember } from '../functions.js';
import { BOOL, INT, opaque, STRING } from '../types.js';
import { CelOpaque } from '../values.js';
import { formatIp, type IpAddress, type IpPrefix, maskIp, parseCidr, parseIp, prefixContains } from './ip-address.js';

const IP_NAME = 'net.IP';
const CIDR_NAME = 'net.CIDR';
const IP = opaque(IP_NAME);
const CIDR = opaque(CIDR_NAME);

class CelIp extends CelOpaque {
  readonly typeName = IP_NAME;
  readonly ip: IpAddress;
  constructor(ip: IpAddress) {
    super();
    this.ip = ip;
  }
  equals(other: CelOpaque): boolean {
    return other instanceof CelIp && other.ip.family === this.ip.family && other.ip.value === this.ip.value;
  }
}

class CelCidr extends CelOpaque {
  readonly typeName = CIDR_NAME;
  readonly prefix: IpPrefix;
  constructor(prefix: IpPrefix) {
    super();
    this.prefix = prefix;
  }
  equals(other: CelOpaque): boolean {
    return other instanceof CelCidr && formatCidr(other) === formatCidr(this);
  }
}

function toIp(text: string): CelIp {
  const ip = parseIp(text);
  if (ip === undefined) throw new CelEvaluationError(`IP Address ${shown(text)} parse error during conversion from string`);
  return new CelIp(ip);
}

function toCidr(text: string): CelCidr {
  const prefix = parseCidr(text);
  if (prefix === undefined) throw new CelEvaluationError(`network address parse error during conversion from string: ${shown(text)}`);
  return new CelCidr(prefix);
}

function formatCidr({ prefix }: CelCidr): string {
  return `${formatIp(prefix.address)}/${prefix.length}`;
}

/** Returns a function that tests whether the first `bits` bits of an address equal those of `start`. */
function within(start: string) {
  const prefix = parseCidr(start) as IpPrefix;
  return (ip: IpAddress): boolean => prefixContains(prefix, { address: ip, length: ip.family === 4 ? 32 : 128 });
}

const isLoopback = anyOf('127.0.0.0/8', '::1/128');
const isLinkLocalUnicast = anyOf('169.254.0.0/16', 'fe80::/10');
const isLinkLocalMulticast = anyOf('224.0.0.0/24', 'ff02::/16');
const isMulticast = anyOf('224.0.0.0/4', 'ff00::/8');
const isUnspecified = anyOf('0.0.0.0/32', '::/128');
const isBroadcast = within('255.255.255.255/32');

function anyOf(...ranges: string[]): (ip: IpAddress) => boolean {
  const tests = ranges.map(within);
  return (ip) => tests.some((test) => test(ip));
}

function isGlobalUnicast(ip: IpAddress): boolean {
  return ![isUnspecified, isLoopback, isMulticast, isLinkLocalUnicast, isBroadcast].some((test) => test(ip));
}

function isCanonical(text: string): boolean {
  return formatIp(toIp(text).ip) === text;
}

const ipTest = (name: string, test: (ip: IpAddress) => boolean): CelFunction => defineMember(name, [IP], BOOL, ({ ip }: CelIp) => test(ip));
const containsIp = ({ prefix }: CelCidr, { ip }: CelIp): boolean =>
  prefixContains(prefix, { address: ip, length: ip.family === 4 ? 32 : 128 });
const containsCidr = (outer: CelCidr, inner: CelCidr): boolean => prefixContains(outer.prefix, inner.prefix);

/** The functions for addresses and networks, such as `cidr("10.0.0.0/8").containsIP("10.1.2.3")`. */
export const IPS: readonly CelFunction[] = [
  define('ip', [STRING], IP, toIp),
  define('isIP', [STRING], BOOL, (text: string) => parseIp(text) !== undefined),
  define('ip.isCanonical', [STRING], BOOL, isCanonical),
  define('string', [IP], STRING, ({ ip }: CelIp) => formatIp(ip)),
  defineMember('family', [IP], INT, ({ ip }: CelIp) => BigInt(ip.family)),
  ipTest('isUnspecified', isUnspecified),
  ipTest('isLoopback', isLoopback),
  ipTest('isLinkLocalMulticast', isLinkLocalMulticast),
  ipTest('isLinkLocalUnicast', isLinkLocalUnicast),
  ipTest('isGlobalUnicast', isGlobalUnicast),
  define('cidr', [STRING], CIDR, toCidr),
  define('isCIDR', [STRING], BOOL, (text: string) => parseCidr(text) !== undefined),
  define('string', [CIDR], STRING, formatCidr),
  defineMember('containsIP', [CIDR, IP], BOOL, containsIp),
  defineMember('containsIP', [CIDR, STRING], BOOL, (cidr: CelCidr, text: string) => containsIp(cidr, toIp(text))),
  defineMember('containsCIDR', [CIDR, CIDR], BOOL, containsCidr),
  defineMember('containsCIDR', [CIDR, STRING], BOOL, (cidr: CelCidr, text: string) => containsCidr(cidr, toCidr(text))),
  defineMember('ip', [CIDR], IP, ({ prefix }: CelCidr) => new CelIp(prefix.address)),
  defineMember('masked', [CIDR], CIDR, ({ prefix }: CelCidr) => new CelCidr({ ...prefix, address: maskIp(prefix.address, prefix.length) })),
  defineMember('prefixLength', [CIDR], INT, ({ prefix }: CelCidr) => BigInt(prefix.length)),
];
