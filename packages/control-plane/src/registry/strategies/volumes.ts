import { deepEqual, type KubeObject, parseQuantity, validateDns1123Subdomain, validateLabelSelector } from '@outrigger/core';
import { fieldError, type FieldError } from '@outrigger/core/schema';
import { type Draft, ensureFields, fieldsOf, isFields, textOf, type Fields } from '../draft.js';
import type { Strategy } from '../resource.js';
import { immutable } from './pod-validation.js';

export const claimStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  returnsDeletedObject: true,
  setDefaults(draft) {
    ensureFields(draft, 'spec')['volumeMode'] ??= 'Filesystem';
  },
  prepareForCreate(draft) {
    draft['status'] = { phase: 'Pending' };
  },
  validateSpec: (draft) => validateClaim(fieldsOf(draft, 'spec')),
  validateUpdate: (draft, old, subresource) => (subresource === '' ? validateClaimKept(draft, old) : []),
};

function validateClaim(spec: Fields): FieldError[] {
  const modes = Array.isArray(spec['accessModes']) ? spec['accessModes'] : [];
  const className = textOf(spec, 'storageClassName') ?? '';
  const size = fieldsOf(fieldsOf(spec, 'resources'), 'requests')['storage'];
  const isPositive = typeof size === 'string' && parseQuantity(size).nanos > 0n;
  return [
    ...(modes.length === 0 ? [fieldError.required('spec.accessModes', 'at least 1 access mode is required')] : []),
    ...(modes.length > 1 && modes.includes('ReadWriteOncePod')
      ? [fieldError.forbidden('spec.accessModes', 'may not use ReadWriteOncePod with other access modes')]
      : []),
    ...(isFields(spec['selector']) ? validateLabelSelector(spec['selector'], 'spec.selector') : []),
    ...(size === undefined ? [fieldError.required('spec.resources[storage]')] : []),
    ...(size === undefined || isPositive ? [] : [fieldError.invalid('spec.resources[storage]', size, 'must be greater than zero')]),
    ...(className === ''
      ? []
      : validateDns1123Subdomain(className).map((problem) => fieldError.invalid('spec.storageClassName', className, problem))),
  ];
}

/**
 * Checks that an update changes only the size and the attributes of a claim, or gives it a volume or a class for the first time. A real server
 * allows another size only of a claim that is bound; on this server no controller binds claims.
 */
function validateClaimKept(draft: Draft, old: KubeObject): FieldError[] {
  const before = fieldsOf(old, 'spec');
  const once = ['volumeName', 'storageClassName'].filter((name) => before[name] === undefined);
  const fixed = (spec: Fields): Fields => {
    const { requests: _, ...resources } = fieldsOf(spec, 'resources');
    const kept = Object.entries(spec).filter(([name]) => name !== 'volumeAttributesClassName' && !once.includes(name));
    return { ...Object.fromEntries(kept), resources };
  };
  if (deepEqual(fixed(fieldsOf(draft, 'spec')), fixed(before))) return [];
  const detail = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
  return [fieldError.forbidden('spec', detail)];
}

export const volumeStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  returnsDeletedObject: true,
  setDefaults(draft) {
    const spec = ensureFields(draft, 'spec');
    spec['volumeMode'] ??= 'Filesystem';
    spec['persistentVolumeReclaimPolicy'] ??= 'Retain';
    if (isFields(spec['hostPath'])) spec['hostPath']['type'] ??= '';
  },
  prepareForCreate(draft) {
    draft['status'] = { phase: 'Pending' };
  },
};

export const storageClassStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  returnsDeletedObject: true,
  setDefaults(draft) {
    draft['reclaimPolicy'] ??= 'Delete';
    draft['volumeBindingMode'] ??= 'Immediate';
  },
  validateUpdate(draft, old) {
    const before = old as unknown as Fields;
    const isSame = (name: string): boolean => deepEqual(draft[name], before[name]);
    return [
      ...['parameters', 'provisioner', 'reclaimPolicy'].flatMap((name) =>
        isSame(name) ? [] : [fieldError.forbidden(name, `updates to ${name} are forbidden.`)],
      ),
      ...(isSame('volumeBindingMode') ? [] : [immutable('volumeBindingMode', draft['volumeBindingMode'])]),
    ];
  },
};
