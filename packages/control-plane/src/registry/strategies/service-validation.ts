import { validateDns1123Label, validateDns1123Subdomain } from '@outrigger/core';
import { fieldError, type FieldError, isCidr, labelErrors } from '@outrigger/core/schema';
import { fieldsOf, listOf, textOf, type Fields } from '../draft.js';
import { BAD_ADDRESS, BAD_RANGE, isIpAddress, portNumber, portReference } from './value-rules.js';

const BALANCERS_ONLY = "may only be used when `type` is 'LoadBalancer'";
const MAX_AFFINITY_SECONDS = 86_400;

export function isExternal(spec: Fields): boolean {
  return spec['type'] === 'ExternalName';
}

export function isBalanced(spec: Fields): boolean {
  return spec['type'] === 'LoadBalancer';
}

/** Whether a type of Service has node ports. */
export function hasNodePorts(spec: Fields): boolean {
  return spec['type'] === 'NodePort' || isBalanced(spec);
}

/** Whether clients outside of the cluster can reach the Service, so that their traffic has a policy. */
export function isReachedFromOutside(spec: Fields): boolean {
  return hasNodePorts(spec) || (spec['type'] === 'ClusterIP' && texts(spec, 'externalIPs').length > 0);
}

/** Whether the Service has a port at which load balancers ask for its health. */
export function hasHealthPort(spec: Fields): boolean {
  return isBalanced(spec) && spec['externalTrafficPolicy'] === 'Local';
}

/** Checks the spec of a Service, after defaults and allocation. */
export function validateService(spec: Fields): FieldError[] {
  return [
    ...validateType(spec),
    ...validatePorts(spec),
    ...labelErrors(spec['selector'], 'spec.selector'),
    ...validateAffinity(spec),
    ...validateAddresses(spec),
    ...validateOutside(spec),
  ];
}

function texts(spec: Fields, field: string): readonly string[] {
  const value = spec[field];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function validateType(spec: Fields): FieldError[] {
  const address = textOf(spec, 'clusterIP') ?? '';
  if (!isExternal(spec)) {
    const hasPorts = listOf(spec, 'ports').length > 0;
    if (!hasPorts && address !== 'None') return [fieldError.required('spec.ports')];
    if (!hasNodePorts(spec) || address !== 'None') return [];
    return [fieldError.invalid('spec.clusterIPs[0]', address, `may not be set to 'None' for ${textOf(spec, 'type')} services`)];
  }
  const name = textOf(spec, 'externalName') ?? '';
  return [
    ...(address === '' && texts(spec, 'clusterIPs').length === 0
      ? []
      : [fieldError.forbidden('spec.clusterIPs', 'may not be set for ExternalName services')]),
    ...(name === '' ? [fieldError.required('spec.externalName')] : []),
    ...(name === ''
      ? []
      : validateDns1123Subdomain(name.replace(/\.$/, '')).map((problem) => fieldError.invalid('spec.externalName', name, problem))),
  ];
}

function validatePorts(spec: Fields): FieldError[] {
  const ports = listOf(spec, 'ports');
  const mayHaveNodePorts = hasNodePorts(spec);
  return [
    ...ports.flatMap((port, i) => validatePort(port, `spec.ports[${i}]`, ports.length > 1)),
    ...duplicatePorts(ports),
    ...ports.flatMap(({ nodePort }, i) =>
      mayHaveNodePorts || !nodePort
        ? []
        : [fieldError.forbidden(`spec.ports[${i}].nodePort`, `may not be used when \`type\` is '${textOf(spec, 'type')}'`)],
    ),
  ];
}

function validatePort(port: Fields, path: string, needsName: boolean): FieldError[] {
  const name = textOf(port, 'name') ?? '';
  return [
    ...(needsName && name === '' ? [fieldError.required(`${path}.name`)] : []),
    ...(name === '' ? [] : validateDns1123Label(name).map((problem) => fieldError.invalid(`${path}.name`, name, problem))),
    ...(typeof port['port'] === 'number' ? portNumber(`${path}.port`, port['port']) : []),
    ...(port['targetPort'] === undefined ? [] : portReference(`${path}.targetPort`, port['targetPort'])),
  ];
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

function validateAffinity(spec: Fields): FieldError[] {
  const seconds = fieldsOf(fieldsOf(spec, 'sessionAffinityConfig'), 'clientIP')['timeoutSeconds'];
  if (typeof seconds !== 'number' || (seconds > 0 && seconds <= MAX_AFFINITY_SECONDS)) return [];
  const detail = `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`;
  return [fieldError.invalid('spec.sessionAffinityConfig.clientIP.timeoutSeconds', seconds, detail)];
}

function validateAddresses(spec: Fields): FieldError[] {
  const address = textOf(spec, 'clusterIP') ?? '';
  const all = texts(spec, 'clusterIPs');
  return [
    ...texts(spec, 'externalIPs').flatMap((ip, i) =>
      isIpAddress(ip) ? [] : [fieldError.invalid(`spec.externalIPs[${i}]`, ip, BAD_ADDRESS)],
    ),
    ...(address === '' && all.length > 0 && !isExternal(spec)
      ? [fieldError.invalid('spec.clusterIPs', all, 'must be empty when `clusterIP` is not specified')]
      : []),
    ...all.flatMap((ip, i) => (ip === 'None' || isIpAddress(ip) ? [] : [fieldError.invalid(`spec.clusterIPs[${i}]`, ip, BAD_ADDRESS)])),
  ];
}

/** Checks the fields that are only for Services that clients outside of the cluster can reach. */
function validateOutside(spec: Fields): FieldError[] {
  const { externalTrafficPolicy, allocateLoadBalancerNodePorts, loadBalancerClass, healthCheckNodePort } = spec;
  const balanced = isBalanced(spec);
  const only = (field: string, value: unknown): FieldError[] =>
    value === undefined || balanced ? [] : [fieldError.forbidden(`spec.${field}`, BALANCERS_ONLY)];
  const ranges = texts(spec, 'loadBalancerSourceRanges');
  const healthDetail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [
    ...(externalTrafficPolicy === undefined || isReachedFromOutside(spec)
      ? []
      : [fieldError.invalid('spec.externalTrafficPolicy', externalTrafficPolicy, 'may only be set for externally-accessible services')]),
    ...only('allocateLoadBalancerNodePorts', allocateLoadBalancerNodePorts),
    ...only('LoadBalancerSourceRanges', ranges[0]),
    ...ranges.flatMap((range, i) =>
      !balanced || isCidr(range.trim()) ? [] : [fieldError.invalid(`spec.LoadBalancerSourceRanges[${i}]`, range, BAD_RANGE)],
    ),
    ...only('loadBalancerClass', loadBalancerClass),
    ...(!healthCheckNodePort || hasHealthPort(spec)
      ? []
      : [fieldError.invalid('spec.healthCheckNodePort', healthCheckNodePort, healthDetail)]),
  ];
}
