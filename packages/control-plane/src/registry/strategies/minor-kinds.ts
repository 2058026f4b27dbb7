import { validateDns1123Subdomain, validateLabelSelector } from '@outrigger/core';
import { fieldError, type FieldError, pathSegmentProblems } from '@outrigger/core/schema';
import { ensureFields, fieldsOf, isFields, listOf, numberOf, textOf, type Fields } from '../draft.js';
import type { Strategy } from '../resource.js';
import { immutable } from './pod-validation.js';
import { countOrPercent, notAboveAll, notNegative } from './value-rules.js';

/** The strategies in this file are for kinds with few defaults and hardly any rules. */

/** Sets the defaults of a LimitRange for containers: `default` from `max`, and `defaultRequest` from `min` or otherwise from `default`. */
export const limitRangeStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  allowCreateOnUpdate: true,
  setDefaults(draft) {
    for (const item of listOf(ensureFields(draft, 'spec'), 'limits')) {
      if (item['type'] !== 'Container') continue;
      const limits = { ...fieldsOf(item, 'max'), ...fieldsOf(item, 'default') };
      const requests = { ...limits, ...fieldsOf(item, 'min'), ...fieldsOf(item, 'defaultRequest') };
      if (Object.keys(limits).length > 0) item['default'] = limits;
      if (Object.keys(requests).length > 0) item['defaultRequest'] = requests;
    }
  },
};

export const quotaStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  returnsDeletedObject: true,
  prepareForCreate(draft) {
    draft['status'] = {};
  },
};

export const endpointsStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  allowCreateOnUpdate: true,
  setDefaults(draft) {
    for (const subset of listOf(draft, 'subsets')) defaultProtocols(subset);
  },
};

export const endpointSliceStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  hasGeneration: true,
  setDefaults(draft) {
    defaultProtocols(draft);
    for (const port of listOf(draft, 'ports')) port['name'] ??= '';
    for (const endpoint of listOf(draft, 'endpoints')) ensureFields(endpoint, 'conditions');
  },
};

function defaultProtocols(owner: Fields): void {
  for (const port of listOf(owner, 'ports')) port['protocol'] ??= 'TCP';
}

/** Higher priorities are those of the system. */
const MAX_PRIORITY = 1_000_000_000;

export const priorityClassStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  hasGeneration: true,
  setDefaults(draft) {
    draft['preemptionPolicy'] ??= 'PreemptLowerPriority';
  },
  validateCreate(draft) {
    const max = `maximum allowed value of a user defined priority is ${MAX_PRIORITY}`;
    return (numberOf(draft, 'value') ?? 0) > MAX_PRIORITY ? [fieldError.forbidden('value', max)] : [];
  },
  validateUpdate(draft, old) {
    const before = old as unknown as Fields;
    const { value, preemptionPolicy } = draft;
    return [
      ...(value === before['value'] ? [] : [fieldError.forbidden('value', 'may not be changed in an update.')]),
      ...(preemptionPolicy === before['preemptionPolicy'] ? [] : [immutable('preemptionPolicy', preemptionPolicy)]),
    ];
  },
};

export const autoscalerStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  setDefaults(draft) {
    const spec = ensureFields(draft, 'spec');
    spec['minReplicas'] ??= 1;
    spec['metrics'] ??= [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }];
  },
  prepareForCreate(draft) {
    draft['status'] = { desiredReplicas: 0 };
  },
  validate(draft) {
    const spec = fieldsOf(draft, 'spec');
    const [min, max] = [numberOf(spec, 'minReplicas') ?? 1, numberOf(spec, 'maxReplicas') ?? 0];
    return [
      ...(min < 1 ? [fieldError.invalid('spec.minReplicas', min, 'must be greater than or equal to 1')] : []),
      ...(max < 1 ? [fieldError.invalid('spec.maxReplicas', max, 'must be greater than 0')] : []),
      ...(max < min ? [fieldError.invalid('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`')] : []),
      ...validateTarget(fieldsOf(spec, 'scaleTargetRef')),
    ];
  },
};

/** Checks the reference of an autoscaler to a workload. Only ReplicationControllers are in the core group. */
function validateTarget(target: Fields): FieldError[] {
  const path = 'spec.scaleTargetRef';
  const apiVersion = textOf(target, 'apiVersion') ?? '';
  const parts = apiVersion.split('/');
  const why =
    parts.length > 2
      ? `unexpected GroupVersion string: ${apiVersion}`
      : parts.length < 2 && target['kind'] !== 'ReplicationController'
        ? 'apiVersion must specify API group'
        : undefined;
  return [
    ...['kind', 'name'].flatMap((field) => {
      const value = textOf(target, field) ?? '';
      if (value === '') return [fieldError.required(`${path}.${field}`)];
      return pathSegmentProblems(value).map((problem) => fieldError.invalid(`${path}.${field}`, value, problem));
    }),
    ...(why === undefined ? [] : [fieldError.invalid(`${path}.apiVersion`, apiVersion, why)]),
  ];
}

export const autoscalerV1Strategy: Strategy = {
  ...autoscalerStrategy,
  setDefaults(draft) {
    ensureFields(draft, 'spec')['minReplicas'] ??= 1;
  },
  prepareForCreate(draft) {
    draft['status'] = { currentReplicas: 0, desiredReplicas: 0 };
  },
};

export const disruptionBudgetStrategy: Strategy = {
  hasGeneration: true,
  setDefaults(draft) {
    ensureFields(draft, 'spec');
  },
  prepareForCreate(draft) {
    draft['status'] = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  },
  validateSpec: (draft) => validateBudget(fieldsOf(draft, 'spec')),
};

function validateBudget(spec: Fields): FieldError[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = spec;
  // A real server shows the spec with the names that it has in Go.
  const shown = {
    MinAvailable: minAvailable,
    Selector: selector ?? null,
    MaxUnavailable: maxUnavailable,
    UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
  };
  return [
    ...(minAvailable !== undefined && maxUnavailable !== undefined
      ? [fieldError.invalid('spec', shown, 'minAvailable and maxUnavailable cannot be both set')]
      : []),
    ...Object.entries({ minAvailable, maxUnavailable }).flatMap(([name, value]) => [
      ...countOrPercent(`spec.${name}`, value),
      ...notAboveAll(`spec.${name}`, value),
    ]),
    ...(isFields(selector) ? validateLabelSelector(selector, 'spec.selector') : []),
  ];
}

export const leaseStrategy: Strategy = {
  allowCreateOnUpdate: true,
  validate(draft) {
    const spec = fieldsOf(draft, 'spec');
    const seconds = numberOf(spec, 'leaseDurationSeconds') ?? 1;
    return [
      ...(seconds <= 0 ? [fieldError.invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')] : []),
      ...notNegative('spec.leaseTransitions', spec['leaseTransitions']),
    ];
  },
};

export const controllerRevisionStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  validate: (draft) => notNegative('revision', draft['revision']),
  validateUpdate(draft, old) {
    const before = JSON.stringify(fieldsOf(old, 'data'));
    return JSON.stringify(fieldsOf(draft, 'data')) === before ? [] : [immutable('data', draft['data'])];
  },
};

export const apiServiceStrategy: Strategy = {
  statusKeeps: 'metadata',
  prepareForCreate(draft) {
    draft['status'] = {};
  },
};

export const ingressClassStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  hasGeneration: true,
  validate(draft) {
    const controller = textOf(fieldsOf(draft, 'spec'), 'controller') ?? '';
    const [domain = '', ...path] = controller.split('/');
    if (controller === '') return [fieldError.required('spec.controller')];
    const isPrefixed = path.join('/') !== '' && validateDns1123Subdomain(domain).length === 0;
    const detail = 'must be a domain-prefixed path (such as "acme.io/foo")';
    return isPrefixed ? [] : [fieldError.invalid('spec.controller', controller, detail)];
  },
};
