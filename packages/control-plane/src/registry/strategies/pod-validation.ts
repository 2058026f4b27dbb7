import { validateDns1123Label } from '@outrigger/core';
import { fieldError, type FieldError } from '@outrigger/core/schema';
import { listOf, textOf, type Fields } from '../draft.js';

/** Checks the most common validation rules of a pod spec. The schema has already checked types and enumerations. */
export function validatePodSpec(spec: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (listOf(spec, 'containers').length === 0) errors.push(fieldError.required(`${path}.containers`));
  const names = new Set<string>();
  for (const list of ['containers', 'initContainers', 'ephemeralContainers']) {
    listOf(spec, list).forEach((container, i) => errors.push(...validateContainer(container, `${path}.${list}[${i}]`, names)));
  }
  return [...errors, ...validateVolumes(spec, path), ...validateMounts(spec, path)];
}

function validateContainer(container: Fields, path: string, names: Set<string>): FieldError[] {
  const errors: FieldError[] = [];
  const name = textOf(container, 'name') ?? '';
  if (name === '') errors.push(fieldError.required(`${path}.name`));
  else errors.push(...validateDns1123Label(name).map((problem) => fieldError.invalid(`${path}.name`, name, problem)));
  if (name !== '' && names.has(name)) errors.push(fieldError.duplicate(`${path}.name`, name));
  names.add(name);
  const image = textOf(container, 'image') ?? '';
  if (image === '') errors.push(fieldError.required(`${path}.image`));
  else if (image !== image.trim()) errors.push(fieldError.invalid(`${path}.image`, image, 'must not have leading or trailing whitespace'));
  return [...errors, ...validatePortNames(container, path)];
}

function validatePortNames(container: Fields, path: string): FieldError[] {
  const names = new Set<string>();
  return listOf(container, 'ports').flatMap((port, i) => {
    const name = textOf(port, 'name') ?? '';
    if (name === '') return [];
    if (names.has(name)) return [fieldError.duplicate(`${path}.ports[${i}].name`, name)];
    names.add(name);
    return [];
  });
}

function validateVolumes(spec: Fields, path: string): FieldError[] {
  const names = new Set<string>();
  return listOf(spec, 'volumes').flatMap((volume, i) => {
    const name = textOf(volume, 'name') ?? '';
    const field = `${path}.volumes[${i}].name`;
    if (name === '') return [fieldError.required(field)];
    if (names.has(name)) return [fieldError.duplicate(field, name)];
    names.add(name);
    return validateDns1123Label(name).map((problem) => fieldError.invalid(field, name, problem));
  });
}

function validateMounts(spec: Fields, path: string): FieldError[] {
  const volumes = new Set(listOf(spec, 'volumes').map((volume) => volume['name']));
  return listOf(spec, 'containers').flatMap((container, i) => {
    const paths = new Set<string>();
    return listOf(container, 'volumeMounts').flatMap((mount, j) => {
      const field = `${path}.containers[${i}].volumeMounts[${j}]`;
      const missing = volumes.has(mount['name']) ? [] : [fieldError.notFound(`${field}.name`, mount['name'])];
      const mountPath = textOf(mount, 'mountPath') ?? '';
      if (mountPath === '') return [...missing, fieldError.required(`${field}.mountPath`)];
      if (paths.has(mountPath)) return [...missing, fieldError.invalid(`${field}.mountPath`, mountPath, 'must be unique')];
      paths.add(mountPath);
      return missing;
    });
  });
}

export function immutable(field: string, value: unknown): FieldError {
  return fieldError.invalid(field, value, 'field is immutable');
}
