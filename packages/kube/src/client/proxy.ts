import { ConfigError } from '../kubeconfig/connection.js';
import { addressProblem } from '../kubeconfig/server-address.js';

/** The proxy variables in an environment, in upper or lower case. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Chooses the proxy for a server: the configured proxy, otherwise the proxy from the environment, otherwise none. As in Go's client, the
 * proxy from the environment is never used for requests to this machine.
 */
export function chooseProxy(server: URL, configured: string | undefined, env: ProxyEnvironment): URL | undefined {
  if (configured) return parseProxy(configured, 'proxy-url');
  const named = server.protocol === 'https:' ? pick(env, 'HTTPS_PROXY') : pick(env, 'HTTP_PROXY');
  if (!named || isLoopback(server.hostname) || isExempt(server, pick(env, 'NO_PROXY') ?? '')) return undefined;
  return parseProxy(named.includes('://') ? named : `http://${named}`, 'HTTPS_PROXY or HTTP_PROXY');
}

/** Parses the URL of a proxy. Error messages never contain the URL, because it may contain a password. */
function parseProxy(address: string, label: string): URL {
  const problem = addressProblem(address);
  if (problem === undefined) return new URL(address);
  const isPort = problem.startsWith('has port');
  throw new ConfigError(
    `${label}: ${isPort ? `the address ${problem}` : 'only proxies over http and https are supported: write it as http://host:port'}`,
  );
}

function pick(env: ProxyEnvironment, name: string): string | undefined {
  return env[name] || env[name.toLowerCase()] || undefined;
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/**
 * Evaluates NO_PROXY, with items such as `*`, `host`, `.domain`, `host:port` and `10.0.0.0/8`. A bare domain also matches its subdomains.
 */
function isExempt(server: URL, noProxy: string): boolean {
  const host = server.hostname.toLowerCase();
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInRange(host, entry);
  const [, name = '', wantedPort] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [];
  if (name === '' || (wantedPort !== undefined && wantedPort !== port)) return false;
  if (name.startsWith('*.') || name.startsWith('.')) return host.endsWith(name.replace(/^\*/, ''));
  return host === name || host.endsWith(`.${name}`);
}

function isInRange(host: string, range: string): boolean {
  const [network = '', bits = ''] = range.split('/');
  const [address, base] = [ipv4(host), ipv4(network)];
  const length = Number(bits);
  if (address === undefined || base === undefined || !(length >= 0 && length <= 32)) return false;
  const size = 2 ** (32 - length);
  return Math.floor(address / size) === Math.floor(base / size);
}

function ipv4(text: string): number | undefined {
  const parts = text.split('.').map(Number);
  if (parts.length !== 4 || parts.some((part) => !(Number.isInteger(part) && part >= 0 && part <= 255))) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}
