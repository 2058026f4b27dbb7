import { compileLabelSelector, deepEqual, validateLabelSelector, type KubeObject, type LabelSelector } from '@outrigger/core';
import { fieldError, labelErrors, type FieldError } from '@outrigger/core/schema';
import { ensureFields, fieldsOf, isFields, listOf, numberOf, textOf, type Draft, type Fields, type MutableFields } from '../draft.js';
import type { Strategy } from '../resource.js';
import { defaultPodSpec } from './pod-defaults.js';
import { immutable, validatePodSpec } from './pod-validation.js';
import { countOrPercent, notAboveAll, notNegative } from './value-rules.js';

/**
 * Returns the common part of the strategies of Deployments, DaemonSets, StatefulSets and ReplicaSets: a template and a selector for its
 * pods.
 */
function workload(kind: string, emptyStatus: Fields, setSpecDefaults: (spec: MutableFields) => void): Strategy {
  return {
    allowUnconditionalUpdate: true,
    hasGeneration: true,
    setDefaults(draft) {
      const spec = ensureFields(draft, 'spec');
      setSpecDefaults(spec);
      defaultTemplate(spec);
    },
    prepareForCreate(draft) {
      draft['status'] = { ...emptyStatus };
    },
    validateSpec: (draft) => validateWorkload(fieldsOf(draft, 'spec'), kind),
    validateUpdate: (draft, old, subresource) => (subresource === '' ? validateSelectorKept(draft, old) : []),
  };
}

export function defaultTemplate(spec: MutableFields): void {
  const template = ensureFields(spec, 'template');
  ensureFields(template, 'metadata');
  defaultPodSpec(ensureFields(template, 'spec'));
}

function validateWorkload(spec: Fields, kind: string): FieldError[] {
  const { selector } = spec;
  const errors: FieldError[] = notNegative('spec.replicas', spec['replicas']);
  errors.push(...validateSelector(isFields(selector) ? selector : undefined, fieldsOf(spec, 'template')));
  const podSpec = fieldsOf(fieldsOf(spec, 'template'), 'spec');
  errors.push(...validatePodSpec(withClaims(podSpec, listOf(spec, 'volumeClaimTemplates')), 'spec.template.spec'));
  if (podSpec['restartPolicy'] !== 'Always') {
    errors.push(fieldError.unsupported('spec.template.spec.restartPolicy', podSpec['restartPolicy'], ['Always']));
  }
  if (podSpec['activeDeadlineSeconds'] !== undefined) {
    errors.push(fieldError.forbidden('spec.template.spec.activeDeadlineSeconds', `activeDeadlineSeconds in ${kind} is not Supported`));
  }
  errors.push(...labelErrors(fieldsOf(fieldsOf(spec, 'template'), 'metadata')['labels'], 'spec.template.labels'));
  errors.push(...notNegative('spec.minReadySeconds', spec['minReadySeconds']));
  if (kind !== 'StatefulSet') errors.push(...notNegative('spec.revisionHistoryLimit', spec['revisionHistoryLimit']));
  return errors;
}

/**
 * Returns a pod spec with the volumes that the claims of a StatefulSet give its pods. These volumes replace the pod spec's volumes of the
 * same name.
 */
function withClaims(podSpec: Fields, claims: readonly Fields[]): Fields {
  if (claims.length === 0) return podSpec;
  const names = claims.map((claim) => textOf(fieldsOf(claim, 'metadata'), 'name') ?? '');
  const taken = new Set(names);
  const claimed = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return { ...podSpec, volumes: [...claimed, ...listOf(podSpec, 'volumes').filter(({ name }) => !taken.has(String(name)))] };
}

function validateSelector(selector: LabelSelector | undefined, template: Fields): FieldError[] {
  const errors = selector ? validateLabelSelector(selector, 'spec.selector') : [fieldError.required('spec.selector')];
  if (selector && errors.length > 0) return errors;
  const compiled = compileLabelSelector(selector);
  if (compiled.isEmpty) return [fieldError.invalid('spec.selector', selector, 'empty selector is invalid for deployment')];
  const labels = fieldsOf(template, 'metadata')['labels'] as Readonly<Record<string, string>> | undefined;
  if (compiled.matches(labels)) return errors;
  return [...errors, fieldError.invalid('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`')];
}

function validateSelectorKept(draft: Draft, old: KubeObject): FieldError[] {
  const { selector } = fieldsOf(draft, 'spec');
  return deepEqual(selector, fieldsOf(old, 'spec')['selector']) ? [] : [immutable('spec.selector', selector)];
}

function defaultRolling(spec: MutableFields, field: string, type: string, details: Fields): void {
  const strategy = ensureFields(spec, field);
  strategy['type'] ??= type;
  if (strategy['type'] !== type) return;
  const rolling = ensureFields(strategy, 'rollingUpdate');
  for (const [name, value] of Object.entries(details)) rolling[name] ??= value;
}

// As on a real server, an error about the pods of a Deployment names ReplicaSet, the kind that creates them.
const rollingDeployment = workload('ReplicaSet', {}, (spec) => {
  spec['replicas'] ??= 1;
  spec['revisionHistoryLimit'] ??= 10;
  spec['progressDeadlineSeconds'] ??= 600;
  defaultRolling(spec, 'strategy', 'RollingUpdate', { maxUnavailable: '25%', maxSurge: '25%' });
});

export const deploymentStrategy: Strategy = {
  ...rollingDeployment,
  validateSpec: (draft) => [...(rollingDeployment.validateSpec?.(draft) ?? []), ...validateDeployment(fieldsOf(draft, 'spec'))],
  countsAnnotations: true,
  statusKeeps: ['labels'],
};

function validateDeployment(spec: Fields): FieldError[] {
  const [deadline, minReady] = [numberOf(spec, 'progressDeadlineSeconds') ?? 0, numberOf(spec, 'minReadySeconds') ?? 0];
  return [
    ...validateStrategy(fieldsOf(spec, 'strategy'), 'spec.strategy'),
    ...(deadline > minReady ? [] : [fieldError.invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')]),
  ];
}

function validateStrategy(strategy: Fields, path: string): FieldError[] {
  const rolling = strategy['rollingUpdate'];
  if (!isFields(rolling)) return [];
  if (strategy['type'] === 'Recreate')
    return [fieldError.forbidden(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")];
  const { maxUnavailable, maxSurge } = rolling;
  const field = `${path}.rollingUpdate.maxUnavailable`;
  return [
    ...countOrPercent(field, maxUnavailable),
    ...countOrPercent(`${path}.rollingUpdate.maxSurge`, maxSurge),
    ...(isNone(maxUnavailable) && isNone(maxSurge) ? [fieldError.invalid(field, maxUnavailable, 'may not be 0 when `maxSurge` is 0')] : []),
    ...notAboveAll(field, maxUnavailable),
  ];
}

function isNone(value: unknown): boolean {
  return value === 0 || (typeof value === 'string' && /^0+%$/.test(value));
}

const rollingDaemonSet: Strategy = workload(
  'DaemonSet',
  { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
  (spec) => {
    spec['revisionHistoryLimit'] ??= 10;
    defaultRolling(spec, 'updateStrategy', 'RollingUpdate', { maxUnavailable: 1, maxSurge: 0 });
  },
);

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** DaemonSets count changes to their template in an annotation, which dates from before all kinds had a generation. */
export const daemonSetStrategy: Strategy = {
  ...rollingDaemonSet,
  validateSpec: (draft) => [...(rollingDaemonSet.validateSpec?.(draft) ?? []), ...validateDaemonStep(fieldsOf(draft, 'spec'))],
  setDefaults(draft) {
    rollingDaemonSet.setDefaults?.(draft);
    draft.metadata.annotations = { [TEMPLATE_GENERATION]: '1', ...draft.metadata.annotations };
  },
  prepareForUpdate(draft, old, subresource) {
    if (subresource !== '') return;
    const before = Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0);
    const isSame = deepEqual(fieldsOf(draft, 'spec')['template'], fieldsOf(old, 'spec')['template']);
    draft.metadata.annotations = { ...draft.metadata.annotations, [TEMPLATE_GENERATION]: String(isSame ? before : before + 1) };
  },
};

function validateDaemonStep(spec: Fields): FieldError[] {
  const { type, rollingUpdate } = fieldsOf(spec, 'updateStrategy');
  if (type !== 'RollingUpdate' || !isFields(rollingUpdate)) return [];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  if (!isNone(maxUnavailable) || !isNone(maxSurge)) return [];
  return [fieldError.required('spec.updateStrategy.rollingUpdate.maxUnavailable', 'cannot be 0 when maxSurge is 0')];
}

const orderedWorkload: Strategy = workload('StatefulSet', { replicas: 0, availableReplicas: 0 }, (spec) => {
  spec['replicas'] ??= 1;
  spec['revisionHistoryLimit'] ??= 10;
  spec['podManagementPolicy'] ??= 'OrderedReady';
  spec['serviceName'] ??= '';
  spec['persistentVolumeClaimRetentionPolicy'] ??= { whenDeleted: 'Retain', whenScaled: 'Retain' };
  defaultRolling(spec, 'updateStrategy', 'RollingUpdate', { partition: 0 });
  for (const claim of listOf(spec, 'volumeClaimTemplates')) {
    claim['apiVersion'] ??= 'v1';
    claim['kind'] ??= 'PersistentVolumeClaim';
    ensureFields(claim, 'spec')['volumeMode'] ??= 'Filesystem';
    ensureFields(claim, 'status')['phase'] ??= 'Pending';
  }
});

/** The fields of the spec of a StatefulSet that an update may change, in the order in which a real server names them. */
const CHANGEABLE: readonly string[] = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

export const statefulSetStrategy: Strategy = {
  ...orderedWorkload,
  validateUpdate(draft, old, subresource) {
    if (subresource !== '' || deepEqual(fixedPart(fieldsOf(draft, 'spec')), fixedPart(fieldsOf(old, 'spec')))) return [];
    const quoted = CHANGEABLE.map((name) => `'${name}'`);
    const list = `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`;
    return [fieldError.forbidden('spec', `updates to statefulset spec for fields other than ${list} are forbidden`)];
  },
};

/** Returns the fields that no update may change. An empty list is equal to an absent one. */
function fixedPart(spec: Fields): Fields {
  const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
  return Object.fromEntries(Object.entries(spec).filter(([name, value]) => !CHANGEABLE.includes(name) && !isEmpty(value)));
}

export const replicaSetStrategy: Strategy = workload('ReplicaSet', { replicas: 0 }, (spec) => {
  spec['replicas'] ??= 1;
});

/** ReplicationControllers are the oldest workload kind. Their selector is a map of labels and defaults to the labels of the template. */
export const replicationControllerStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  hasGeneration: true,
  defaultPropagation: 'Orphan',
  setDefaults(draft) {
    const spec = ensureFields(draft, 'spec');
    spec['replicas'] ??= 1;
    defaultTemplate(spec);
    const labels = fieldsOf(fieldsOf(fieldsOf(spec, 'template'), 'metadata'), 'labels');
    spec['selector'] ??= { ...labels };
    if (Object.keys(labels).length > 0) draft.metadata.labels ??= { ...(labels as Record<string, string>) };
  },
  prepareForCreate(draft) {
    draft['status'] = { replicas: 0 };
  },
};

export const podTemplateStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  hasGeneration: true,
  returnsDeletedObject: true,
  setDefaults: (draft) => defaultTemplate(draft),
};
