import { compileLabelSelector, deepEqual, type KubeObject, validateLabelSelector } from '@outrigger/core';
import { fieldError, type FieldError } from '@outrigger/core/schema';
import { type Draft, ensureFields, fieldsOf, isFields, textOf, type Fields, type MutableFields } from '../draft.js';
import type { Strategy } from '../resource.js';
import { scheduleProblem, timeZoneProblems } from './cron-schedule.js';
import { immutable, validatePodSpec } from './pod-validation.js';
import { notNegative } from './value-rules.js';
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
  validateSpec: (draft) => [...validateSelector(draft), ...validateJob(fieldsOf(draft, 'spec'), 'spec')],
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

const CONTROLLER = 'batch.kubernetes.io/controller-uid';

/**
 * Selects a job's pods by its uid, so that a new job with the same name never adopts the pods of the old one. Labels and selectors that the
 * client sends, such as those of a copied job, are kept for validation, which refuses them.
 */
function selectOwnPods(spec: MutableFields, name: string, uid: string): void {
  const labels = ensureFields(ensureFields(ensureFields(spec, 'template'), 'metadata'), 'labels');
  for (const [label, value] of Object.entries(generatedLabels(name, uid))) labels[label] ??= value;
  ensureFields(ensureFields(spec, 'selector'), 'matchLabels')[CONTROLLER] ??= uid;
}

/** Returns the labels that select the pods of a job. The first two are the older names. */
function generatedLabels(name: string, uid: string): Readonly<Record<string, string>> {
  return { 'controller-uid': uid, 'job-name': name, [CONTROLLER]: uid, 'batch.kubernetes.io/job-name': name };
}

/** Checks that the selector selects the pods of the job, and no others if the server generates it. */
function validateSelector({ metadata, ...draft }: Draft): FieldError[] {
  const spec = fieldsOf(draft, 'spec');
  const { selector } = spec;
  const labels = fieldsOf(fieldsOf(spec, 'template'), 'metadata')['labels'] as Readonly<Record<string, string>> | undefined;
  const isGenerated = spec['manualSelector'] !== true;
  const foreign = Object.entries(generatedLabels(metadata.name ?? '', metadata.uid ?? '')).filter(
    ([label, value]) => labels?.[label] !== value,
  );
  const isOwn = deepEqual(selector, { matchLabels: { [CONTROLLER]: metadata.uid } });
  const problems = isFields(selector) ? validateLabelSelector(selector, 'spec.selector') : [fieldError.required('spec.selector')];
  const matches = isFields(selector) && problems.length === 0 && compileLabelSelector(selector).matches(labels);
  return [
    ...(isGenerated
      ? foreign.map(([label, value]) => fieldError.invalid(`spec.template.metadata.labels[${label}]`, labels, `must be '${value}'`))
      : []),
    ...(isGenerated && !isOwn ? [fieldError.invalid('spec.selector', selector, '`selector` not auto-generated')] : []),
    ...problems,
    ...(matches
      ? []
      : [fieldError.invalid('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`')]),
  ];
}

const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];

function validateJob(spec: Fields, path: string): FieldError[] {
  const podSpec = fieldsOf(fieldsOf(spec, 'template'), 'spec');
  const errors = [
    ...COUNTS.flatMap((name) => notNegative(`${path}.${name}`, spec[name])),
    ...validateIndexes(spec, path),
    ...validatePodSpec(podSpec, `${path}.template.spec`),
  ];
  const { restartPolicy } = podSpec;
  if (restartPolicy === 'OnFailure' || restartPolicy === 'Never') return errors;
  return [...errors, fieldError.required(`${path}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"')];
}

/** Checks the limits that count failures by index, which only the pods of an Indexed job have. */
function validateIndexes(spec: Fields, path: string): FieldError[] {
  const limits = ['backoffLimitPerIndex', 'maxFailedIndexes'].filter((name) => typeof spec[name] === 'number');
  const isIndexed = spec['completionMode'] === 'Indexed';
  return [
    ...(limits[0] === 'maxFailedIndexes'
      ? [fieldError.required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')]
      : []),
    ...(isIndexed && typeof spec['completions'] !== 'number'
      ? [fieldError.required(`${path}.completions`, 'when completion mode is Indexed')]
      : []),
    ...(isIndexed ? [] : limits.map((name) => fieldError.invalid(`${path}.${name}`, spec[name], 'requires indexed completion mode'))),
  ];
}

/** The maximum length of the name of a CronJob. A time of eleven characters is added to it in the names of its jobs. */
const MAX_CRON_NAME = 52;

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
    const job = fieldsOf(fieldsOf(spec, 'jobTemplate'), 'spec');
    const { timeZone } = spec;
    return [
      ...notNegative('spec.startingDeadlineSeconds', spec['startingDeadlineSeconds']),
      ...(typeof timeZone === 'string'
        ? timeZoneProblems(timeZone).map((problem) => fieldError.invalid('spec.timeZone', timeZone, problem))
        : []),
      ...(job['manualSelector'] === true ? [fieldError.unsupported('spec.jobTemplate.spec.manualSelector', true, ['nil', 'false'])] : []),
      ...validateJob(job, 'spec.jobTemplate.spec'),
      ...notNegative('spec.successfulJobsHistoryLimit', spec['successfulJobsHistoryLimit']),
      ...notNegative('spec.failedJobsHistoryLimit', spec['failedJobsHistoryLimit']),
    ];
  },
  validateCreate(draft) {
    const { name = '' } = draft.metadata;
    const tooLong =
      name.length > MAX_CRON_NAME ? [fieldError.invalid('metadata.name', name, `must be no more than ${MAX_CRON_NAME} characters`)] : [];
    return [...tooLong, ...validateSchedule(draft, undefined)];
  },
  validateUpdate: (draft, old) => (draft['spec'] === (old as unknown as Fields)['spec'] ? [] : validateSchedule(draft, old)),
};

/** Checks the schedule. A schedule may name a time zone only if it did so before the field `timeZone` existed. */
function validateSchedule(draft: Draft, old: KubeObject | undefined): FieldError[] {
  const spec = fieldsOf(draft, 'spec');
  const [schedule = '', before = ''] = [textOf(spec, 'schedule'), textOf(fieldsOf(old, 'spec'), 'schedule')];
  if (schedule === '') return [fieldError.required('spec.schedule')];
  const invalid = (problem: string): FieldError => fieldError.invalid('spec.schedule', schedule, problem);
  const problem = scheduleProblem(schedule);
  const errors = problem === undefined ? [] : [invalid(problem)];
  if (!schedule.includes('TZ')) return errors;
  if (!before.includes('TZ')) return [...errors, invalid('cannot use TZ or CRON_TZ in schedule, use timeZone field instead')];
  if (spec['timeZone'] === undefined) return errors;
  return [...errors, invalid('cannot use both timeZone field and TZ or CRON_TZ in schedule')];
}
