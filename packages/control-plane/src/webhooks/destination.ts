import type { KubeObject } from '@outrigger/core';
import { fieldsOf, type Fields, listOf, numberOf, textOf } from '../registry/draft.js';
import type { ClientConfig, ServiceReference, WebhookCall } from './contract.js';

/** The part of the store that is needed to find a Service. */
export interface ServiceLookup {
  service(namespace: string, name: string): KubeObject | undefined;
  endpointSlices(namespace: string): Iterable<KubeObject>;
  endpoints(namespace: string, name: string): KubeObject | undefined;
}

const HTTPS_PORT = 443;
const SERVICE_LABEL = 'kubernetes.io/service-name';

/** Returns the URL to which a review is posted. Error messages also contain this URL. */
export function urlOf({ url, service }: ClientConfig, timeoutSeconds: number): string {
  const query = `timeout=${timeoutSeconds}s`;
  if (!service) return `${url ?? ''}?${query}`;
  const { namespace, name, port = HTTPS_PORT, path = '' } = service;
  return `https://${name}.${namespace}.svc:${port}${path.startsWith('/') ? path : `/${path}`}?${query}`;
}

/**
 * Returns the address to connect to for a Service: its external name, or a ready endpoint. Throws an Error with the reason if the Service
 * has no such address. The cluster IP is never used, because this server cannot reach it.
 */
export function addressOf(reference: ServiceReference, lookup: ServiceLookup): NonNullable<WebhookCall['address']> {
  const { namespace, name, port = HTTPS_PORT } = reference;
  const spec = fieldsOf(lookup.service(namespace, name) ?? missing(name), 'spec');
  const externalName = textOf(spec, 'externalName');
  if (spec['type'] === 'ExternalName' && externalName !== undefined) return { host: externalName, port };
  const servicePort = listOf(spec, 'ports').find((candidate) => candidate['port'] === port);
  if (!servicePort) throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
  const portName = textOf(servicePort, 'name') ?? '';
  for (const slice of lookup.endpointSlices(namespace)) {
    const found = slice.metadata.labels?.[SERVICE_LABEL] === name ? sliceAddress(slice, portName) : undefined;
    if (found) return found;
  }
  const found = subsetAddress(lookup.endpoints(namespace, name), portName);
  if (!found) throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
  return found;
}

function missing(name: string): never {
  throw new Error(`service ${JSON.stringify(name)} not found`);
}

function sliceAddress(slice: KubeObject, portName: string): WebhookCall['address'] | undefined {
  const ready = listOf(slice, 'endpoints').find((endpoint) => fieldsOf(endpoint, 'conditions')['ready'] !== false);
  const host = firstOf(ready, 'addresses');
  const port = portNamed(listOf(slice, 'ports'), portName);
  return typeof host === 'string' && port !== undefined ? { host, port } : undefined;
}

function subsetAddress(endpoints: KubeObject | undefined, portName: string): WebhookCall['address'] | undefined {
  for (const subset of listOf(endpoints, 'subsets')) {
    const host = textOf(firstOf(subset, 'addresses'), 'ip');
    const port = portNamed(listOf(subset, 'ports'), portName);
    if (host !== undefined && port !== undefined) return { host, port };
  }
  return undefined;
}

function portNamed(ports: readonly Fields[], name: string): number | undefined {
  const port = ports.find((candidate) => (textOf(candidate, 'name') ?? '') === name);
  return numberOf(port, 'port');
}

function firstOf(parent: Fields | undefined, field: string): unknown {
  const list = parent?.[field];
  return Array.isArray(list) ? (list[0] as unknown) : undefined;
}
