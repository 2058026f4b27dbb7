import { parseTime } from '@outrigger/core';
import { fieldsOf, listOf, numberOf, textOf, type Fields } from '../draft.js';
import type { Column } from '../resource.js';
import { ageColumn, at, column, count, duration, nameColumn, selectorText, since, wide } from './common.js';

const status =
  (name: string) =>
  (object: Fields): number =>
    numberOf(fieldsOf(object, 'status'), name) ?? 0;
const template = (object: Fields): Fields => fieldsOf(fieldsOf(fieldsOf(object, 'spec'), 'template'), 'spec');

function containerColumns(podSpec: (object: Fields) => Fields, isWide = true): readonly Column[] {
  const each =
    (field: string) =>
    (object: Fields): string =>
      listOf(podSpec(object), 'containers')
        .map((container) => textOf(container, field) ?? '')
        .join(',');
  return [column('Containers', each('name'), { wide: isWide }), column('Images', each('image'), { wide: isWide })];
}

const selectorColumn = wide('Selector', (object) => selectorText(at(object, 'spec', 'selector')));
const wideColumns: readonly Column[] = [...containerColumns(template), selectorColumn];

export const deploymentColumns: readonly Column[] = [
  nameColumn,
  column('Ready', (object) => `${status('readyReplicas')(object)}/${numberOf(fieldsOf(object, 'spec'), 'replicas') ?? 0}`),
  column('Up-to-date', status('updatedReplicas')),
  column('Available', status('availableReplicas')),
  ageColumn,
  ...wideColumns,
];

export const replicaSetColumns: readonly Column[] = [
  nameColumn,
  count('Desired', (object) => at(object, 'spec', 'replicas')),
  count('Current', status('replicas')),
  count('Ready', status('readyReplicas')),
  ageColumn,
  ...wideColumns,
];

export const daemonSetColumns: readonly Column[] = [
  nameColumn,
  count('Desired', status('desiredNumberScheduled')),
  count('Current', status('currentNumberScheduled')),
  count('Ready', status('numberReady')),
  count('Up-to-date', status('updatedNumberScheduled')),
  count('Available', status('numberAvailable')),
  column('Node Selector', (object) => selectorText(template(object)['nodeSelector'])),
  ageColumn,
  ...wideColumns,
];

export const statefulSetColumns: readonly Column[] = [
  nameColumn,
  column('Ready', (object) => `${status('readyReplicas')(object)}/${numberOf(fieldsOf(object, 'spec'), 'replicas') ?? 0}`),
  ageColumn,
  ...containerColumns(template),
];

export const controllerRevisionColumns: readonly Column[] = [
  nameColumn,
  column('Controller', (object) => {
    const owner = listOf(fieldsOf(object, 'metadata'), 'ownerReferences').find(({ controller }) => controller === true);
    if (!owner) return '';
    const group = String(owner['apiVersion']).split('/').slice(0, -1).join('');
    return `${String(owner['kind']).toLowerCase()}${group === '' ? '' : `.${group}`}/${String(owner['name'])}`;
  }),
  column('Revision', (object) => object['revision']),
  ageColumn,
];

export const jobColumns: readonly Column[] = [
  nameColumn,
  column('Status', jobStatus),
  column('Completions', completions),
  column(
    'Duration',
    (object, now) => {
      const started = textOf(fieldsOf(object, 'status'), 'startTime');
      const ended = parseTime(textOf(fieldsOf(object, 'status'), 'completionTime')) ?? now;
      return started === undefined ? '' : duration(ended - (parseTime(started) ?? ended));
    },
    { none: '' },
  ),
  ageColumn,
  ...wideColumns,
];

function jobStatus(job: Fields): string {
  const isTrue = (type: string): boolean =>
    listOf(fieldsOf(job, 'status'), 'conditions').some((condition) => condition['type'] === type && condition['status'] === 'True');
  if (isTrue('Complete')) return 'Complete';
  if (isTrue('Failed')) return 'Failed';
  if (at(job, 'metadata', 'deletionTimestamp') !== undefined) return 'Terminating';
  if (isTrue('Suspended')) return 'Suspended';
  return isTrue('FailureTarget') ? 'FailureTarget' : 'Running';
}

function completions(job: Fields): string {
  const spec = fieldsOf(job, 'spec');
  const done = status('succeeded')(job);
  const wanted = numberOf(spec, 'completions');
  if (wanted !== undefined) return `${done}/${wanted}`;
  const parallelism = numberOf(spec, 'parallelism') ?? 1;
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

const jobTemplate = (object: Fields): Fields => template(fieldsOf(fieldsOf(object, 'spec'), 'jobTemplate'));

export const cronJobColumns: readonly Column[] = [
  nameColumn,
  column('Schedule', (object) => at(object, 'spec', 'schedule')),
  column('Timezone', (object) => at(object, 'spec', 'timeZone')),
  { ...column('Suspend', (object) => (at(object, 'spec', 'suspend') === true ? 'True' : 'False')), type: 'boolean' },
  count('Active', (object) => listOf(fieldsOf(object, 'status'), 'active').length),
  column('Last Schedule', (object, now) => {
    const last = textOf(fieldsOf(object, 'status'), 'lastScheduleTime');
    return last === undefined ? '' : since(last, now);
  }),
  ageColumn,
  ...containerColumns(jobTemplate),
  wide('Selector', (object) => selectorText(at(object, 'spec', 'jobTemplate', 'spec', 'selector'))),
];

export const podTemplateColumns: readonly Column[] = [
  nameColumn,
  ...containerColumns((object) => fieldsOf(fieldsOf(object, 'template'), 'spec'), false),
  column('Pod Labels', (object) => selectorText(at(object, 'template', 'metadata', 'labels'))),
];
