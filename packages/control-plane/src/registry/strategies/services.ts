import { validateDns1035Label, type KubeObject } from '@outrigger/core';
import { fieldError, type FieldError } from '@outrigger/core/schema';
import { ensureFields, fieldsOf, listOf, textOf, type Draft, type Fields, type MutableFields } from '../draft.js';
import type { Strategy, StrategyContext } from '../resource.js';
import { immutable } from './pod-validation.js';
import { portNumber } from './value-rules.js';

const NODE_PORTS = { first: 30000, count: 2768 };
const IP_ATTEMPTS = 64;

export const serviceStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  allowCreateOnUpdate: true,
  returnsDeletedObject: true,
  validateName: (name) => validateDns1035Label(name),
  setDefaults(draft) {
    const spec = ensureFields(draft, 'spec');
    spec['sessionAffinity'] ??= 'None';
    spec['type'] ??= 'ClusterIP';
    for (const port of listOf(spec, 'ports')) {
      port['protocol'] ??= 'TCP';
      if (port['targetPort'] === undefined || port['targetPort'] === 0 || port['targetPort'] === '') port['targetPort'] = port['port'];
    }
    if (isExternal(spec)) return;
    spec['internalTrafficPolicy'] ??= 'Cluster';
    if (hasNodePorts(spec)) spec['externalTrafficPolicy'] ??= 'Cluster';
    if (spec['type'] === 'LoadBalancer') spec['allocateLoadBalancerNodePorts'] ??= true;
  },
  prepareForCreate(draft, context) {
    draft['status'] = { loadBalancer: {} };
    allocate(ensureFields(draft, 'spec'), context);
  },
  prepareForUpdate(draft, old, subresource, context) {
    if (subresource !== '') return;
    const spec = ensureFields(draft, 'spec');
    keepAddresses(spec, fieldsOf(old, 'spec'));
    allocate(spec, context);
  },
  validate: (draft) => validateService(fieldsOf(draft, 'spec')),
  validateUpdate: (draft, old) => validateAddressKept(draft, old),
};

function isExternal(spec: Fields): boolean {
  return spec['type'] === 'ExternalName';
}

function hasNodePorts(spec: Fields): boolean {
  return spec['type'] === 'NodePort' || spec['type'] === 'LoadBalancer';
}

/** Copies the addresses and node ports of the stored Service to an update that omits them. */
function keepAddresses(spec: MutableFields, before: Fields): void {
  if (isExternal(spec) || isExternal(before)) return;
  for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'])
    if (before[field] !== undefined) spec[field] ??= before[field];
  if (!hasNodePorts(spec)) return;
  const ports = new Map(listOf(before, 'ports').map((port) => [`${String(port['port'])}/${String(port['protocol'])}`, port['nodePort']]));
  for (const port of listOf(spec, 'ports')) {
    const kept = ports.get(`${String(port['port'])}/${String(port['protocol'])}`);
    if (kept !== undefined) port['nodePort'] ??= kept;
  }
}

function allocate(spec: MutableFields, context: StrategyContext): void {
  if (isExternal(spec)) return;
  const address = textOf(spec, 'clusterIP');
  spec['clusterIP'] = address === undefined || address === '' ? freeAddress(context) : address;
  spec['clusterIPs'] ??= [spec['clusterIP']];
  spec['ipFamilies'] ??= ['IPv4'];
  spec['ipFamilyPolicy'] ??= 'SingleStack';
  if (!hasNodePorts(spec)) return;
  const taken = new Set(
    context.all('', 'services').flatMap((service) => listOf(fieldsOf(service, 'spec'), 'ports').map((port) => port['nodePort'])),
  );
  for (const port of listOf(spec, 'ports')) {
    if (typeof port['nodePort'] === 'number' && port['nodePort'] > 0) continue;
    port['nodePort'] = freePort(taken, context);
    taken.add(port['nodePort']);
  }
}

function freeAddress(context: StrategyContext): string {
  const taken = new Set(context.all('', 'services').map((service) => fieldsOf(service, 'spec')['clusterIP']));
  let address = '';
  for (let attempt = 0; attempt < IP_ATTEMPTS; attempt++) {
    const octet = (): number => Math.floor(context.random() * 254) + 1;
    address = `10.96.${octet()}.${octet()}`;
    if (!taken.has(address)) break;
  }
  return address;
}

function freePort(taken: ReadonlySet<unknown>, context: StrategyContext): number {
  const start = Math.floor(context.random() * NODE_PORTS.count);
  for (let i = 0; i < NODE_PORTS.count; i++) {
    const port = NODE_PORTS.first + ((start + i) % NODE_PORTS.count);
    if (!taken.has(port)) return port;
  }
  return NODE_PORTS.first;
}

function validateService(spec: Fields): FieldError[] {
  const ports = listOf(spec, 'ports');
  if (ports.length === 0 && !isExternal(spec) && spec['clusterIP'] !== 'None') return [fieldError.required('spec.ports')];
  if (isExternal(spec) && !spec['externalName']) return [fieldError.required('spec.externalName')];
  return [...ports.flatMap((port, i) => validatePort(port, `spec.ports[${i}]`, ports.length > 1)), ...duplicatePorts(ports)];
}

/** Returns an error for each port that has the name, or the number and protocol, of a port before it. */
function duplicatePorts(ports: readonly Fields[]): FieldError[] {
  const names = new Set<unknown>();
  const numbers = new Set<string>();
  return ports.flatMap(({ name, port, protocol }, i) => {
    const errors: FieldError[] = [];
    const number = `${String(port)}/${String(protocol)}`;
    if (name && names.has(name)) errors.push(fieldError.duplicate(`spec.ports[${i}].name`, name));
    if (numbers.has(number)) errors.push(fieldError.duplicate(`spec.ports[${i}]`, { port, protocol }));
    names.add(name);
    numbers.add(number);
    return errors;
  });
}

function validatePort(port: Fields, path: string, needsName: boolean): FieldError[] {
  return [
    ...(needsName && !port['name'] ? [fieldError.required(`${path}.name`)] : []),
    ...(typeof port['port'] === 'number' ? portNumber(`${path}.port`, port['port']) : []),
  ];
}

function validateAddressKept(draft: Draft, old: KubeObject): FieldError[] {
  const [spec, before] = [fieldsOf(draft, 'spec'), fieldsOf(old, 'spec')];
  const mayChange = isExternal(spec) || isExternal(before) || !before['clusterIP'];
  return mayChange || spec['clusterIP'] === before['clusterIP'] ? [] : [immutable('spec.clusterIP', spec['clusterIP'])];
}
