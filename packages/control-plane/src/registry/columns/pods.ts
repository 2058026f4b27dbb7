import { fieldsOf, listOf, numberOf, textOf, type Fields } from '../draft.js';
import type { Column } from '../resource.js';
import { ageColumn, at, column, nameColumn, since, wide } from './common.js';

export const podColumns: readonly Column[] = [
  nameColumn,
  column(
    'Ready',
    (pod) => `${statuses(pod).filter((status) => status['ready'] === true).length}/${listOf(fieldsOf(pod, 'spec'), 'containers').length}`,
  ),
  column('Status', statusOf),
  column('Restarts', restarts),
  ageColumn,
  wide('IP', (pod) => at(pod, 'status', 'podIP')),
  wide('Node', (pod) => at(pod, 'spec', 'nodeName')),
  wide('Nominated Node', (pod) => at(pod, 'status', 'nominatedNodeName')),
  wide('Readiness Gates', (pod) => readinessGates(pod)),
];

function statuses(pod: Fields): readonly Fields[] {
  return listOf(fieldsOf(pod, 'status'), 'containerStatuses');
}

/** Returns the state of a pod in one word: the reason why a container waits or has terminated, or otherwise the phase. */
function statusOf(pod: Fields): string {
  const status = fieldsOf(pod, 'status');
  if (at(pod, 'metadata', 'deletionTimestamp') !== undefined) return status['reason'] === 'NodeLost' ? 'Unknown' : 'Terminating';
  let reason = textOf(status, 'reason') ?? textOf(status, 'phase') ?? '';
  for (const container of statuses(pod)) reason = containerReason(container) ?? reason;
  return reason;
}

function containerReason(container: Fields): string | undefined {
  const state = fieldsOf(container, 'state');
  const waiting = textOf(fieldsOf(state, 'waiting'), 'reason');
  if (waiting) return waiting;
  const terminated = fieldsOf(state, 'terminated');
  if (Object.keys(terminated).length === 0) return undefined;
  const signal = numberOf(terminated, 'signal') ?? 0;
  return textOf(terminated, 'reason') ?? (signal !== 0 ? `Signal:${signal}` : `ExitCode:${numberOf(terminated, 'exitCode') ?? 0}`);
}

function restarts(pod: Fields, now: number): string {
  const total = statuses(pod).reduce((sum, status) => sum + (numberOf(status, 'restartCount') ?? 0), 0);
  const ends = statuses(pod).flatMap((status) => textOf(fieldsOf(fieldsOf(status, 'lastState'), 'terminated'), 'finishedAt') ?? []);
  const last = ends.sort().at(-1);
  return total > 0 && last !== undefined ? `${total} (${since(last, now)} ago)` : String(total);
}

function readinessGates(pod: Fields): string {
  const gates = listOf(fieldsOf(pod, 'spec'), 'readinessGates');
  if (gates.length === 0) return '';
  const conditions = listOf(fieldsOf(pod, 'status'), 'conditions');
  const passed = gates.filter((gate) => conditions.some(({ type, status }) => type === gate['conditionType'] && status === 'True'));
  return `${passed.length}/${gates.length}`;
}
