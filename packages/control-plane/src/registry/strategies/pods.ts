import { deepEqual, type KubeObject } from '@outrigger/core';
import { fieldError, type FieldError } from '@outrigger/core/schema';
import { cloneJson } from '../../request/json-value.js';
import { ensureFields, fieldsOf, listOf, numberOf, textOf, type Draft, type MutableFields } from '../draft.js';
import type { Strategy } from '../resource.js';
import { defaultPodSpec, defaultRequests } from './pod-defaults.js';
import { validatePodSpec } from './pod-validation.js';

const UNCHANGEABLE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

export const podStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  hasGeneration: true,
  returnsDeletedObject: true,
  statusKeeps: ['ownerReferences'],
  setDefaults(draft) {
    const spec = ensureFields(draft, 'spec');
    defaultPodSpec(spec);
    defaultRequests(spec);
    spec['enableServiceLinks'] ??= true;
  },
  prepareForCreate(draft) {
    draft['status'] = { phase: 'Pending', qosClass: qosClass(ensureFields(draft, 'spec')) };
  },
  validateSpec: (draft) => validatePodSpec(fieldsOf(draft, 'spec'), 'spec'),
  validateUpdate: (draft, old, subresource) => (subresource === '' ? validateSpecKept(draft, old) : []),
  gracePeriodSeconds(pod, requested) {
    // A pod that was never scheduled or has terminated runs no container, so it gets no grace period.
    const { phase } = fieldsOf(pod, 'status');
    if ((textOf(fieldsOf(pod, 'spec'), 'nodeName') ?? '') === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
    return requested ?? numberOf(fieldsOf(pod, 'spec'), 'terminationGracePeriodSeconds') ?? 30;
  },
};

function validateSpecKept(draft: Draft, old: KubeObject): FieldError[] {
  const fixed = (object: object): MutableFields => {
    const spec = cloneJson(fieldsOf(object, 'spec')) as MutableFields;
    for (const container of [...listOf(spec, 'containers'), ...listOf(spec, 'initContainers')]) delete container['image'];
    for (const name of ['activeDeadlineSeconds', 'tolerations', 'terminationGracePeriodSeconds', 'nodeName', 'schedulingGates'])
      delete spec[name];
    return spec;
  };
  return deepEqual(fixed(draft), fixed(old)) ? [] : [fieldError.forbidden('spec', UNCHANGEABLE)];
}

/** Returns the QoS class: Guaranteed if every container requests exactly its limits, BestEffort if no container requests anything. */
function qosClass(spec: MutableFields): string {
  const resources = [...listOf(spec, 'containers'), ...listOf(spec, 'initContainers')].map((container) => fieldsOf(container, 'resources'));
  const asks = (part: string): boolean => resources.some((resource) => Object.keys(fieldsOf(resource, part)).length > 0);
  if (!asks('requests') && !asks('limits')) return 'BestEffort';
  const isExact = resources.every((resource) => {
    const limits = fieldsOf(resource, 'limits');
    return ['cpu', 'memory'].every((name) => limits[name] !== undefined) && deepEqual(limits, fieldsOf(resource, 'requests'));
  });
  return isExact ? 'Guaranteed' : 'Burstable';
}
