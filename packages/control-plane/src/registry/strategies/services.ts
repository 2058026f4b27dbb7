import { deepEqual, validateDns1035Label, type KubeObject } from '@outrigger/core';
import { fieldError, type FieldError } from '@outrigger/core/schema';
import { ensureFields, fieldsOf, listOf, textOf, type Draft, type Fields, type MutableFields } from '../draft.js';
import type { Strategy, StrategyContext } from '../resource.js';
import { hasHealthPort, hasNodePorts, isBalanced, isExternal, isReachedFromOutside, validateService } from './service-validation.js';

const NODE_PORTS = { first: 30000, count: 2768 };
const IP_ATTEMPTS = 64;
const AFFINITY_SECONDS = 10_800;

export const serviceStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  allowCreateOnUpdate: true,
  returnsDeletedObject: true,
  validateName: (name) => validateDns1035Label(name),
  setDefaults(draft) {
    const spec = ensureFields(draft, 'spec');
    spec['sessionAffinity'] ??= 'None';
    spec['type'] ??= 'ClusterIP';
    defaultAffinity(spec);
    for (const port of listOf(spec, 'ports')) {
      port['protocol'] ??= 'TCP';
      if (port['targetPort'] === undefined || port['targetPort'] === 0 || port['targetPort'] === '') port['targetPort'] = port['port'];
    }
    if (isReachedFromOutside(spec)) spec['externalTrafficPolicy'] ??= 'Cluster';
    if (!isExternal(spec)) spec['internalTrafficPolicy'] ??= 'Cluster';
    if (isBalanced(spec)) spec['allocateLoadBalancerNodePorts'] ??= true;
  },
  prepareForCreate(draft, context) {
    draft['status'] = { loadBalancer: {} };
    allocate(ensureFields(draft, 'spec'), context);
  },
  prepareForUpdate(draft, old, subresource, context) {
    if (subresource !== '') return;
    const [spec, before] = [ensureFields(draft, 'spec'), fieldsOf(old, 'spec')];
    keepAllocated(spec, before);
    dropUnused(spec, before);
    allocate(spec, context);
  },
  validate: (draft, context) => [...validateService(fieldsOf(draft, 'spec')), ...validateNodePorts(draft, context)],
  validateUpdate: (draft, old) => validateAddressKept(draft, old),
};

function defaultAffinity(spec: MutableFields): void {
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
  if (spec['sessionAffinity'] !== 'ClientIP') return;
  ensureFields(ensureFields(spec, 'sessionAffinityConfig'), 'clientIP')['timeoutSeconds'] ??= AFFINITY_SECONDS;
}

/** Copies the addresses and the ports that the stored Service got to an update that omits them. A port keeps its node port by its name. */
function keepAllocated(spec: MutableFields, before: Fields): void {
  if (!isExternal(spec) && !isExternal(before)) {
    const isOtherAddress = spec['clusterIP'] !== undefined && spec['clusterIP'] !== before['clusterIP'];
    if (isOtherAddress && deepEqual(spec['clusterIPs'], before['clusterIPs'])) spec['clusterIPs'] = [spec['clusterIP']];
    for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'])
      if (before[field] !== undefined) spec[field] ??= before[field];
  }
  if (hasHealthPort(spec) && hasHealthPort(before)) spec['healthCheckNodePort'] ??= before['healthCheckNodePort'];
  if (!hasNodePorts(spec) || !hasNodePorts(before)) return;
  const used = new Set(nodePortsOf(spec));
  const known = new Map(listOf(before, 'ports').map((port) => [textOf(port, 'name'), port['nodePort']]));
  for (const port of listOf(spec, 'ports')) {
    const kept = known.get(textOf(port, 'name'));
    if (typeof kept === 'number' && !used.has(kept)) port['nodePort'] ??= kept;
  }
}

const ADDRESSES = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy'];

/** Drops the fields that the new type of a Service does not need, if the update does not change them, so that a client can change the type alone. */
function dropUnused(spec: MutableFields, before: Fields): void {
  const drop = (fields: readonly string[], isNeeded: (spec: Fields) => boolean): void => {
    if (isNeeded(spec)) return;
    for (const field of fields) if (deepEqual(spec[field], before[field])) delete spec[field];
  };
  drop(ADDRESSES, (some) => !isExternal(some));
  drop(['healthCheckNodePort'], hasHealthPort);
  drop(['externalTrafficPolicy'], isReachedFromOutside);
  drop(['allocateLoadBalancerNodePorts', 'loadBalancerClass'], isBalanced);
  if (hasNodePorts(spec) || !deepEqual(nodePortsOf(spec), nodePortsOf(before))) return;
  for (const port of listOf(spec, 'ports')) delete port['nodePort'];
}

function nodePortsOf(spec: Fields): readonly number[] {
  return listOf(spec, 'ports').flatMap(({ nodePort }) => (typeof nodePort === 'number' && nodePort !== 0 ? [nodePort] : []));
}

function allocate(spec: MutableFields, context: StrategyContext): void {
  if (isExternal(spec)) return;
  const address = textOf(spec, 'clusterIP');
  spec['clusterIP'] = address === undefined || address === '' ? freeAddress(context) : address;
  spec['clusterIPs'] ??= [spec['clusterIP']];
  spec['ipFamilies'] ??= ['IPv4'];
  spec['ipFamilyPolicy'] ??= 'SingleStack';
  if (!hasNodePorts(spec)) return;
  const taken = new Set(context.all('', 'services').flatMap((service) => allNodePortsOf(fieldsOf(service, 'spec'))));
  const take = (): number => {
    const port = freePort(taken, context);
    taken.add(port);
    return port;
  };
  if (hasHealthPort(spec)) spec['healthCheckNodePort'] ??= take();
  if (isBalanced(spec) && spec['allocateLoadBalancerNodePorts'] === false) return;
  for (const port of nodePortsOf(spec)) taken.add(port);
  for (const port of listOf(spec, 'ports')) port['nodePort'] ??= take();
}

function allNodePortsOf(spec: Fields): readonly number[] {
  const { healthCheckNodePort: port } = spec;
  return [...nodePortsOf(spec), ...(typeof port === 'number' ? [port] : [])];
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

/** Checks that node ports are in the range, and that each belongs to one Service. Ports of one Service may share one with another protocol. */
function validateNodePorts({ metadata, ...draft }: Draft, context: StrategyContext): FieldError[] {
  const spec = fieldsOf(draft, 'spec');
  if (!hasNodePorts(spec) || nodePortsOf(spec).length === 0) return [];
  const others = context
    .all('', 'services')
    .filter((other) => other.metadata.name !== metadata.name || other.metadata.namespace !== metadata.namespace);
  const taken = new Set(others.flatMap((other) => allNodePortsOf(fieldsOf(other, 'spec'))));
  const own = new Set<string>();
  const last = NODE_PORTS.first + NODE_PORTS.count - 1;
  return listOf(spec, 'ports').flatMap(({ nodePort, protocol }, i) => {
    if (typeof nodePort !== 'number') return [];
    const id = `${nodePort}/${String(protocol)}`;
    const isTaken = taken.has(nodePort) || own.has(id);
    own.add(id);
    const why =
      nodePort < NODE_PORTS.first || nodePort > last
        ? `provided port is not in the valid range. The range of valid ports is ${NODE_PORTS.first}-${last}`
        : isTaken
          ? 'provided port is already allocated'
          : undefined;
    return why === undefined ? [] : [fieldError.invalid(`spec.ports[${i}].nodePort`, nodePort, why)];
  });
}

function validateAddressKept(draft: Draft, old: KubeObject): FieldError[] {
  const [spec, before] = [fieldsOf(draft, 'spec'), fieldsOf(old, 'spec')];
  const mayChange = isExternal(spec) || isExternal(before) || !before['clusterIP'];
  if (mayChange || spec['clusterIP'] === before['clusterIP']) return [];
  return [fieldError.invalid('spec.clusterIPs[0]', spec['clusterIPs'], 'may not change once set')];
}
