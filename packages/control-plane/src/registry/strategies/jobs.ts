import { deepEqual } from '@outrigger/core';
import { fieldError, type FieldError } from '@outrigger/core/schema';
import { ensureFields, fieldsOf, isFields, type Fields, type MutableFields } from '../draft.js';
import type { Strategy } from '../resource.js';
import { immutable, validatePodSpec } from './pod-validation.js';
import { defaultTemplate } from './workloads.js';

export const jobStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  hasGeneration: true,
  // By default, deleting a Job orphans its pods, as it did before garbage collection existed. kubectl requests background deletion
  // explicitly.
  defaultPropagation: 'Orphan',
  setDefaults: (draft) => defaultJob(ensureFields(draft, 'spec')),
  prepareForCreate(draft) {
    draft['status'] = {};
    const spec = ensureFields(draft, 'spec');
    if (spec['manualSelector'] !== true) selectOwnPods(spec, draft.metadata.name ?? '', draft.metadata.uid ?? '');
    const labels = fieldsOf(fieldsOf(spec['template'], 'metadata'), 'labels') as Readonly<Record<string, string>>;
    if (Object.keys(draft.metadata.labels ?? {}).length === 0) draft.metadata.labels = { ...labels };
  },
  validateSpec: (draft) => validateJob(fieldsOf(draft, 'spec'), 'spec'),
  validateUpdate(draft, old, subresource) {
    if (subresource !== '') return [];
    const [spec, before] = [fieldsOf(draft, 'spec'), fieldsOf(old, 'spec')];
    // The number of completions of an Indexed job may change together with its parallelism.
    const fixed = ['selector', 'template', 'completionMode', ...(spec['completionMode'] === 'Indexed' ? [] : ['completions'])];
    return fixed.flatMap((name) => (deepEqual(spec[name], before[name]) ? [] : [immutable(`spec.${name}`, spec[name])]));
  },
};

function defaultJob(spec: MutableFields): void {
  if (spec['completions'] === undefined && spec['parallelism'] === undefined) spec['completions'] = 1;
  spec['parallelism'] ??= 1;
  spec['backoffLimit'] ??= 6;
  spec['completionMode'] ??= 'NonIndexed';
  spec['suspend'] ??= false;
  spec['podReplacementPolicy'] ??= isFields(spec['podFailurePolicy']) ? 'Failed' : 'TerminatingOrFailed';
  spec['manualSelector'] ??= false;
  defaultTemplate(spec);
}

/** Selects a job's pods by its uid, so that a new job with the same name never adopts the pods of the old one. */
function selectOwnPods(spec: MutableFields, name: string, uid: string): void {
  const metadata = ensureFields(ensureFields(spec, 'template'), 'metadata');
  const labels = ensureFields(metadata, 'labels');
  Object.assign(labels, {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  });
  spec['selector'] = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
}

function validateJob(spec: Fields, path: string): FieldError[] {
  const podSpec = fieldsOf(fieldsOf(spec, 'template'), 'spec');
  const errors = validatePodSpec(podSpec, `${path}.template.spec`);
  const { restartPolicy } = podSpec;
  if (restartPolicy === 'OnFailure' || restartPolicy === 'Never') return errors;
  return [...errors, fieldError.required(`${path}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"')];
}

export const cronJobStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  hasGeneration: true,
  setDefaults(draft) {
    const spec = ensureFields(draft, 'spec');
    spec['concurrencyPolicy'] ??= 'Allow';
    spec['suspend'] ??= false;
    spec['successfulJobsHistoryLimit'] ??= 3;
    spec['failedJobsHistoryLimit'] ??= 1;
    const template = ensureFields(spec, 'jobTemplate');
    ensureFields(template, 'metadata');
    defaultTemplate(ensureFields(template, 'spec'));
  },
  prepareForCreate(draft) {
    draft['status'] = {};
  },
  validateSpec(draft) {
    const spec = fieldsOf(draft, 'spec');
    const schedule = typeof spec['schedule'] === 'string' && spec['schedule'] !== '' ? [] : [fieldError.required('spec.schedule')];
    return [...schedule, ...validateJob(fieldsOf(fieldsOf(spec, 'jobTemplate'), 'spec'), 'spec.jobTemplate.spec')];
  },
};
