import { validateDns1123Label, validateDns1123Subdomain } from '@outrigger/core';
import { fieldError, type FieldError, labelErrors } from '@outrigger/core/schema';
import { isFields, listOf, numberOf, textOf, type Fields } from '../draft.js';
import { validateContainer } from './container-validation.js';
import { BAD_ADDRESS, isIpAddress } from './value-rules.js';
import { validateMounts, validateVolumes } from './volume-validation.js';

const CONTAINER_LISTS = ['containers', 'initContainers', 'ephemeralContainers'];

/** Checks the most common validation rules of a pod spec. The schema has already checked types and enumerations. */
export function validatePodSpec(spec: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { errors: volumeErrors, valid } = validateVolumes(spec, path);
  if (listOf(spec, 'containers').length === 0) errors.push(fieldError.required(`${path}.containers`));
  const names = new Set<string>();
  const hostNetwork = spec['hostNetwork'] === true;
  for (const list of CONTAINER_LISTS) {
    listOf(spec, list).forEach((container, i) => {
      const field = `${path}.${list}[${i}]`;
      errors.push(...validateContainer(container, field, names, hostNetwork), ...validateMounts(container, field, valid));
    });
  }
  return [
    ...volumeErrors,
    ...errors,
    ...duplicateHostPorts(listOf(spec, 'containers'), `${path}.containers`),
    ...validateNames(spec, path),
    ...listOf(spec, 'tolerations').flatMap((toleration, i) => validateToleration(toleration, `${path}.tolerations[${i}]`)),
  ];
}

/** Returns an error for each port of the host that a container before it has, or a port of the same container. */
function duplicateHostPorts(containers: readonly Fields[], path: string): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, i) =>
    listOf(container, 'ports').flatMap(({ hostPort, hostIP = '', protocol }, j) => {
      if (!hostPort) return [];
      const id = `${String(protocol)}/${String(hostIP)}/${String(hostPort)}`;
      const errors = taken.has(id) ? [fieldError.duplicate(`${path}[${i}].ports[${j}].hostPort`, id)] : [];
      taken.add(id);
      return errors;
    }),
  );
}

/** Checks the names in a pod spec that are not those of containers and volumes. */
function validateNames(spec: Fields, path: string): FieldError[] {
  const check = (field: string, problems: (name: string) => readonly string[]): FieldError[] => {
    const name = textOf(spec, field) ?? '';
    return name === '' ? [] : problems(name).map((problem) => fieldError.invalid(`${path}.${field}`, name, problem));
  };
  return [
    ...check('serviceAccountName', validateDns1123Subdomain),
    ...check('hostname', validateDns1123Label),
    ...check('subdomain', validateDns1123Label),
    ...labelErrors(spec['nodeSelector'], `${path}.nodeSelector`),
    ...(spec['dnsPolicy'] === 'None' && !isFields(spec['dnsConfig'])
      ? [fieldError.required(`${path}.dnsConfig`, 'must provide `dnsConfig` when `dnsPolicy` is None')]
      : []),
    ...listOf(spec, 'hostAliases').flatMap(({ ip }, i) =>
      isIpAddress(String(ip)) ? [] : [fieldError.invalid(`${path}.hostAliases[${i}].ip`, ip, BAD_ADDRESS)],
    ),
  ];
}

function validateToleration(toleration: Fields, path: string): FieldError[] {
  const [key = '', operator = '', value = '', effect = ''] = ['key', 'operator', 'value', 'effect'].map((name) => textOf(toleration, name));
  const needsExists = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
  return [
    ...(key === '' && operator !== 'Exists' ? [fieldError.invalid(`${path}.operator`, operator, needsExists)] : []),
    ...(numberOf(toleration, 'tolerationSeconds') !== undefined && effect !== 'NoExecute'
      ? [fieldError.invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")]
      : []),
    ...(operator === 'Exists' && value !== ''
      ? [fieldError.invalid(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'")]
      : []),
  ];
}

export function immutable(field: string, value: unknown): FieldError {
  return fieldError.invalid(field, value, 'field is immutable');
}
