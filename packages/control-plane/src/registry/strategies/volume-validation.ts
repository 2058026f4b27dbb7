import { validateDns1123Label } from '@outrigger/core';
import { fieldError, type FieldError } from '@outrigger/core/schema';
import { fieldsOf, isFields, listOf, numberOf, textOf, type Fields } from '../draft.js';

/** The required field of a volume's source, by volume type: the name or path of what is mounted. */
const NAMES: Readonly<Record<string, string>> = {
  configMap: 'name',
  secret: 'secretName',
  hostPath: 'path',
  persistentVolumeClaim: 'claimName',
};
const MAX_MODE = 0o777;

/** Checks the volumes of a pod. `valid` contains the names of the volumes without errors. Containers can mount only these. */
export function validateVolumes(
  spec: Fields,
  path: string,
): { readonly errors: readonly FieldError[]; readonly valid: ReadonlySet<string> } {
  const names = new Set<string>();
  const valid = new Set<string>();
  const errors = listOf(spec, 'volumes').flatMap((volume, i) => {
    const name = textOf(volume, 'name') ?? '';
    const field = `${path}.volumes[${i}]`;
    const found = [...validateSource(volume, field), ...validateVolumeName(name, `${field}.name`, names)];
    names.add(name);
    if (found.length === 0) valid.add(name);
    return found;
  });
  return { errors, valid };
}

function validateVolumeName(name: string, field: string, others: ReadonlySet<string>): FieldError[] {
  if (name === '') return [fieldError.required(field)];
  if (others.has(name)) return [fieldError.duplicate(field, name)];
  return validateDns1123Label(name).map((problem) => fieldError.invalid(field, name, problem));
}

function validateSource(volume: Fields, path: string): FieldError[] {
  const [first, ...others] = Object.keys(volume)
    .filter((name) => isFields(volume[name]))
    .sort(byOrder);
  if (first === undefined) return [];
  const surplus = others.map((name) => fieldError.forbidden(`${path}.${name}`, 'may not specify more than 1 volume type'));
  const source = fieldsOf(volume, first);
  const nameField = Object.hasOwn(NAMES, first) ? NAMES[first] : undefined;
  const name = nameField === undefined ? undefined : (textOf(source, nameField) ?? '');
  return [
    ...(name === '' ? [fieldError.required(`${path}.${first}.${nameField}`)] : []),
    ...(first === 'hostPath' && name?.split('/').includes('..')
      ? [fieldError.invalid(`${path}.hostPath.path`, name, "must not contain '..'")]
      : []),
    ...validateMode(source, `${path}.${first}`),
    ...surplus,
  ];
}

/**
 * Orders volume types as a real server checks them. If a volume has two types, the error is about the type that the server checks later.
 */
function byOrder(a: string, b: string): number {
  const order = ['emptyDir', 'hostPath', 'secret', 'nfs', 'persistentVolumeClaim', 'downwardAPI', 'configMap', 'projected'];
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return rank(a) - rank(b);
}

function validateMode(source: Fields, path: string): FieldError[] {
  const mode = numberOf(source, 'defaultMode') ?? 0;
  const why = 'must be a number between 0 and 0777 (octal), both inclusive';
  return mode < 0 || mode > MAX_MODE ? [fieldError.invalid(`${path}.defaultMode`, mode, why)] : [];
}

/** Checks the mounts of one container. `volumes` contains the names of the volumes that the container can mount. */
export function validateMounts(container: Fields, path: string, volumes: ReadonlySet<string>): FieldError[] {
  const paths = new Set<string>();
  return listOf(container, 'volumeMounts').flatMap((mount, i) => {
    const field = `${path}.volumeMounts[${i}]`;
    const name = textOf(mount, 'name') ?? '';
    const mountPath = textOf(mount, 'mountPath') ?? '';
    const isTaken = mountPath !== '' && paths.has(mountPath);
    paths.add(mountPath);
    return [
      ...(name === '' ? [fieldError.required(`${field}.name`)] : []),
      ...(volumes.has(name) ? [] : [fieldError.notFound(`${field}.name`, name)]),
      ...(mountPath === '' ? [fieldError.required(`${field}.mountPath`)] : []),
      ...(isTaken ? [fieldError.invalid(`${field}.mountPath`, mountPath, 'must be unique')] : []),
      ...(textOf(mount, 'subPath') && textOf(mount, 'subPathExpr')
        ? [fieldError.invalid(`${field}.subPathExpr`, mount['subPathExpr'], 'subPathExpr and subPath are mutually exclusive')]
        : []),
    ];
  });
}
