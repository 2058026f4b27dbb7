import { validateDns1035Label, validateDns1123Subdomain } from '@outrigger/core';
import { fieldError, type FieldError, pathSegmentProblems } from '@outrigger/core/schema';
import { type Draft, fieldsOf, isFields, listOf, textOf, type Fields } from '../draft.js';
import type { Strategy } from '../resource.js';
import { isIpAddress, portName, portNumber } from './value-rules.js';

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const BAD_SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const BAD_ENDINGS = ['/..', '/.'];
const BAD_WILDCARD =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric " +
  "characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is " +
  "'\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

export const ingressStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  hasGeneration: true,
  prepareForCreate(draft) {
    draft['status'] = { loadBalancer: {} };
  },
  validateSpec: (draft) => validateIngress(fieldsOf(draft, 'spec')),
  validateCreate: validateClass,
};

function validateIngress(spec: Fields): FieldError[] {
  const rules = listOf(spec, 'rules');
  const className = textOf(spec, 'ingressClassName');
  const { defaultBackend } = spec;
  return [
    ...(rules.length === 0 && !isFields(defaultBackend)
      ? [fieldError.invalid('spec', null, 'either `defaultBackend` or `rules` must be specified')]
      : []),
    ...(isFields(defaultBackend) ? validateBackend(defaultBackend, 'spec.defaultBackend') : []),
    ...rules.flatMap((rule, i) => validateRule(rule, `spec.rules[${i}]`)),
    ...listOf(spec, 'tls').flatMap((entry, i) => validateCertificate(entry, `spec.tls[${i}]`)),
    ...(className === undefined ? [] : each('spec.ingressClassName', className, validateDns1123Subdomain(className))),
  ];
}

/** The annotation is the older form of the field. A new Ingress may have both only with the same value. */
function validateClass({ metadata, ...draft }: Draft): FieldError[] {
  const annotation = metadata.annotations?.[CLASS_ANNOTATION];
  const className = textOf(fieldsOf(draft, 'spec'), 'ingressClassName');
  if (annotation === undefined || className === undefined || annotation === className) return [];
  return [fieldError.invalid(`annotations.${CLASS_ANNOTATION}`, annotation, 'must match `ingressClassName` when both are specified')];
}

function each(field: string, value: string, problems: readonly string[]): FieldError[] {
  return problems.map((problem) => fieldError.invalid(field, value, problem));
}

function validateRule(rule: Fields, path: string): FieldError[] {
  const host = textOf(rule, 'host') ?? '';
  const ip = isIpAddress(host) ? [fieldError.invalid(`${path}.host`, host, 'must be a DNS name, not an IP address')] : [];
  const hostErrors = host === '' ? [] : [...ip, ...each(`${path}.host`, host, hostProblems(host))];
  if (!isFields(rule['http'])) return hostErrors;
  const paths = listOf(rule['http'], 'paths');
  if (paths.length === 0) return [...hostErrors, fieldError.required(`${path}.http.paths`)];
  return [...hostErrors, ...paths.flatMap((one, i) => validatePath(one, `${path}.http.paths[${i}]`))];
}

function hostProblems(host: string): readonly string[] {
  if (!host.includes('*')) return validateDns1123Subdomain(host);
  return host.startsWith('*.') && validateDns1123Subdomain(host.slice(2)).length === 0 ? [] : [BAD_WILDCARD];
}

function validatePath(one: Fields, field: string): FieldError[] {
  const type = textOf(one, 'pathType');
  if (type === undefined) return [fieldError.required(`${field}.pathType`, 'pathType must be specified')];
  const backend = validateBackend(fieldsOf(one, 'backend'), `${field}.backend`);
  return [...each(`${field}.path`, textOf(one, 'path') ?? '', pathProblems(textOf(one, 'path') ?? '', type)), ...backend];
}

function pathProblems(path: string, type: string): readonly string[] {
  const isPlain = type === 'Exact' || type === 'Prefix';
  const absolute = path.startsWith('/') || (path === '' && !isPlain) ? [] : ['must be an absolute path'];
  if (!isPlain) return absolute;
  return [
    ...absolute,
    ...BAD_SEQUENCES.filter((part) => path.includes(part)).map((part) => `must not contain '${part}'`),
    ...BAD_ENDINGS.filter((part) => path.endsWith(part)).map((part) => `cannot end with '${part}'`),
  ];
}

function validateBackend(backend: Fields, path: string): FieldError[] {
  const { resource, service } = backend;
  if (isFields(resource) && isFields(service)) return [fieldError.invalid(path, '', 'cannot set both resource and service backends')];
  if (isFields(resource)) return validateResource(resource, `${path}.resource`);
  if (isFields(service)) return validateService(service, path);
  return [fieldError.invalid(path, '', 'resource or service backend is required')];
}

function validateResource(resource: Fields, path: string): FieldError[] {
  const group = textOf(resource, 'apiGroup');
  return [
    ...(group === undefined ? [] : each(`${path}.apiGroup`, group, validateDns1123Subdomain(group))),
    ...['kind', 'name'].flatMap((field) => {
      const value = textOf(resource, field) ?? '';
      return value === '' ? [fieldError.required(`${path}.${field}`)] : each(`${path}.${field}`, value, pathSegmentProblems(value));
    }),
  ];
}

function validateService(service: Fields, path: string): FieldError[] {
  const name = textOf(service, 'name') ?? '';
  const nameField = `${path}.service.name`;
  return [
    ...(name === '' ? [fieldError.required(nameField)] : each(nameField, name, validateDns1035Label(name))),
    ...validatePort(fieldsOf(service, 'port'), path),
  ];
}

function validatePort(port: Fields, path: string): FieldError[] {
  const name = textOf(port, 'name') ?? '';
  const number = typeof port['number'] === 'number' ? port['number'] : 0;
  if (name !== '' && number !== 0) return [fieldError.invalid(path, '', 'cannot set both port name & port number')];
  if (name !== '') return portName(`${path}.service.port.name`, name);
  return number === 0 ? [fieldError.required(path, 'port name or number is required')] : portNumber(`${path}.service.port.number`, number);
}

function validateCertificate(entry: Fields, path: string): FieldError[] {
  const hosts = Array.isArray(entry['hosts']) ? entry['hosts'].map(String) : [];
  const secret = textOf(entry, 'secretName') ?? '';
  return [
    ...hosts.flatMap((host, i) => each(`${path}.hosts[${i}]`, host, hostProblems(host))),
    ...(secret === '' ? [] : each(`${path}.secretName`, secret, validateDns1123Subdomain(secret))),
  ];
}
