import { fieldError, type FieldError } from '@outrigger/core/schema';
import { listOf, numberOf, textOf, type Fields } from '../draft.js';
import { validateContainer } from './container-validation.js';
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
    ...listOf(spec, 'tolerations').flatMap((toleration, i) => validateToleration(toleration, `${path}.tolerations[${i}]`)),
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
