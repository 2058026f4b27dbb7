import { parseQuantity, validateDns1123Label } from '@outrigger/core';
import { fieldError, type FieldError } from '@outrigger/core/schema';
import { fieldsOf, isFields, listOf, numberOf, textOf, type Fields } from '../draft.js';
import { notNegative, portName, portNumber, portReference } from './value-rules.js';

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'];
const ENV_SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];
const ENV_FROM_SOURCES = ['configMapRef', 'secretRef'];
const RESTARTS = ['Always', 'Never', 'OnFailure'];
const BAD_ENV_NAME = "a valid environment variable name must consist only of printable ASCII characters other than '='";
const TWO_SOURCES = 'may not have more than one field specified at a time';

/** Checks one container. `names` are the names of the containers before it. */
export function validateContainer(container: Fields, path: string, names: Set<string>, hostNetwork: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const name = textOf(container, 'name') ?? '';
  if (name === '') errors.push(fieldError.required(`${path}.name`));
  else errors.push(...validateDns1123Label(name).map((problem) => fieldError.invalid(`${path}.name`, name, problem)));
  if (name !== '' && names.has(name)) errors.push(fieldError.duplicate(`${path}.name`, name));
  names.add(name);
  const image = textOf(container, 'image') ?? '';
  if (image === '') errors.push(fieldError.required(`${path}.image`));
  else if (image !== image.trim()) errors.push(fieldError.invalid(`${path}.image`, image, 'must not have leading or trailing whitespace'));
  const { restartPolicy } = container;
  if (restartPolicy !== undefined && !RESTARTS.includes(String(restartPolicy)))
    errors.push(fieldError.unsupported(`${path}.restartPolicy`, restartPolicy, RESTARTS));
  return [
    ...errors,
    ...validateLifecycle(fieldsOf(container, 'lifecycle'), `${path}.lifecycle`),
    ...PROBES.flatMap((probe) => (isFields(container[probe]) ? validateProbe(container[probe], `${path}.${probe}`, probe) : [])),
    ...validatePorts(listOf(container, 'ports'), `${path}.ports`, hostNetwork),
    ...listOf(container, 'env').flatMap((variable, i) => validateVariable(variable, `${path}.env[${i}]`)),
    ...listOf(container, 'envFrom').flatMap((source, i) => validateVariables(source, `${path}.envFrom`, i)),
    ...validateResources(fieldsOf(container, 'resources'), `${path}.resources`),
  ];
}

function validatePorts(ports: readonly Fields[], path: string, hostNetwork: boolean): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, i) => {
    const field = `${path}[${i}]`;
    const name = textOf(port, 'name') ?? '';
    const number = numberOf(port, 'containerPort') ?? 0;
    const hostPort = numberOf(port, 'hostPort') ?? 0;
    const named = name === '' ? [] : portName(`${field}.name`, name);
    const taken = names.has(name) ? [fieldError.duplicate(`${field}.name`, name)] : [];
    if (name !== '') names.add(name);
    return [
      ...(named.length > 0 ? named : taken),
      ...(number === 0 ? [fieldError.required(`${field}.containerPort`)] : portNumber(`${field}.containerPort`, number)),
      ...(hostPort === 0 ? [] : portNumber(`${field}.hostPort`, hostPort)),
      ...(hostNetwork && hostPort !== number
        ? [fieldError.invalid(`${field}.hostPort`, hostPort, 'must match `containerPort` when `hostNetwork` is true')]
        : []),
    ];
  });
}

function validateVariable(variable: Fields, path: string): FieldError[] {
  const name = textOf(variable, 'name') ?? '';
  const named = name === '' ? [fieldError.required(`${path}.name`)] : validateVariableName(`${path}.name`, name);
  if (!isFields(variable['valueFrom'])) return named;
  const sources = stated(variable['valueFrom'], ENV_SOURCES);
  const list = `${ENV_SOURCES.slice(0, -1)
    .map((source) => `\`${source}\``)
    .join(', ')} or \`fileKeyRef\``;
  const invalid = (why: string): FieldError => fieldError.invalid(`${path}.valueFrom`, '', why);
  if (sources.length === 0) return [...named, invalid(`must specify one of: ${list}`)];
  if ((textOf(variable, 'value') ?? '') !== '') return [...named, invalid('may not be specified when `value` is not empty')];
  return sources.length > 1 ? [...named, invalid(TWO_SOURCES)] : named;
}

function validateVariables(source: Fields, path: string, index: number): FieldError[] {
  const prefix = textOf(source, 'prefix') ?? '';
  const named = prefix === '' ? [] : validateVariableName(`${path}[${index}].prefix`, prefix);
  const sources = stated(source, ENV_FROM_SOURCES);
  if (sources.length > 1) return [...named, fieldError.invalid(path, '', TWO_SOURCES)];
  if (sources.length === 0) return [...named, fieldError.invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`')];
  return [
    ...named,
    ...sources.flatMap((kind) => (textOf(source[kind], 'name') ? [] : [fieldError.required(`${path}[${index}].${kind}.name`)])),
  ];
}

function validateVariableName(field: string, name: string): FieldError[] {
  return /^[ -<>-~]+$/.test(name) ? [] : [fieldError.invalid(field, name, BAD_ENV_NAME)];
}

function validateResources(resources: Fields, path: string): FieldError[] {
  const [limits, requests] = [fieldsOf(resources, 'limits'), fieldsOf(resources, 'requests')];
  return [
    ...validateAmounts(limits, `${path}.limits`),
    ...validateAmounts(requests, `${path}.requests`),
    ...Object.entries(requests).flatMap(([name, requested]) => validateRequest(name, requested, limits[name], path)),
  ];
}

function validateAmounts(amounts: Fields, path: string): FieldError[] {
  return Object.entries(amounts).flatMap(([name, amount]) => [
    ...resourceProblems(name).map((problem) => fieldError.invalid(`${path}[${name}]`, name, problem)),
    ...(nanosOf(amount) < 0n ? [fieldError.invalid(`${path}[${name}]`, amount, 'must be greater than or equal to 0')] : []),
  ]);
}

const RESOURCES = ['cpu', 'memory', 'ephemeral-storage'];

/** Returns why a name cannot be that of a resource of containers. The resources of device plugins have a domain. */
function resourceProblems(name: string): readonly string[] {
  if (name.includes('/') || name.startsWith('hugepages-') || RESOURCES.includes(name)) return [];
  return ['must be a standard resource type or fully qualified', 'must be a standard resource for containers'];
}

/**
 * Validates a container's request for one resource. The request must not exceed the limit. It must equal the limit if the resource cannot
 * be overcommitted, like huge pages and the resources of device plugins.
 */
function validateRequest(name: string, requested: unknown, limit: unknown, path: string): FieldError[] {
  if (limit === undefined) return [];
  const order = nanosOf(requested) - nanosOf(limit);
  const isExact = name.startsWith('hugepages-') || (name.includes('/') && !name.includes('kubernetes.io/'));
  if (isExact ? order === 0n : order <= 0n) return [];
  const bound = isExact ? 'equal to' : 'less than or equal to';
  return [fieldError.invalid(`${path}.requests`, requested, `must be ${bound} ${name} limit of ${String(limit)}`)];
}

/** Returns an amount in billionths, or 0 for a value of another type, which the schema check reports. */
function nanosOf(amount: unknown): bigint {
  return typeof amount === 'string' || typeof amount === 'number' ? parseQuantity(String(amount)).nanos : 0n;
}

function validateProbe(probe: Fields, path: string, kind: (typeof PROBES)[number]): FieldError[] {
  const threshold = numberOf(probe, 'successThreshold') ?? 1;
  return [
    ...validateHandler(probe, path),
    ...['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'].flatMap((name) =>
      notNegative(`${path}.${name}`, probe[name]),
    ),
    ...(kind !== 'readinessProbe' && threshold !== 1 ? [fieldError.invalid(`${path}.successThreshold`, threshold, 'must be 1')] : []),
  ];
}

function validateLifecycle(lifecycle: Fields, path: string): FieldError[] {
  return ['postStart', 'preStop'].flatMap((hook) => (isFields(lifecycle[hook]) ? validateHandler(lifecycle[hook], `${path}.${hook}`) : []));
}

/** Checks that a probe or a hook has exactly one action, and that the action is valid. */
function validateHandler(handler: Fields, path: string): FieldError[] {
  const [first, ...others] = stated(handler, HANDLERS);
  if (first === undefined) return [fieldError.required(path, 'must specify a handler type')];
  const surplus = others.map((name) => fieldError.forbidden(`${path}.${name}`, 'may not specify more than 1 handler type'));
  const action = fieldsOf(handler, first);
  if (first === 'exec') return [...(listed(action, 'command') ? [] : [fieldError.required(`${path}.exec.command`)]), ...surplus];
  return first === 'sleep' ? surplus : [...portReference(`${path}.${first}.port`, action['port']), ...surplus];
}

function listed(parent: Fields, name: string): boolean {
  const { [name]: list } = parent;
  return Array.isArray(list) && list.length > 0;
}

function stated(parent: Fields, names: readonly string[]): string[] {
  return names.filter((name) => isFields(parent[name]));
}
