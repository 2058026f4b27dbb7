import type { KubeObject } from '@outrigger/core';
import type { ApiEvent } from '../engine/index.js';
import type { Violation } from '../model/index.js';
import type { RunResult } from './run.js';
import { type Step, isFault } from './steps.js';

/** A human-readable log of the run: actions of users, faults, writes of the hub and the agents, and violated invariants. */
export function story({ history, startedAt, log, marks, healedAt }: RunResult, violations: readonly Violation[] = []): string {
  const lines: string[] = [`seed ${history.seed}, ${history.hasReplica ? 'two replicas' : 'one process'}`];
  const time = (at: number): string => `${((at - startedAt) / 1000).toFixed(3).padStart(10)} s`;
  const violating = new Set(violations.flatMap(({ index }) => (index === undefined ? [] : [index])));
  let next = 0;
  let clock = startedAt;
  const tellSteps = (index: number): void => {
    while (next < history.steps.length && (marks[next] ?? Number.POSITIVE_INFINITY) <= index) {
      const { afterMs, step } = history.steps[next] as { afterMs: number; step: Step };
      lines.push(`${' '.repeat(12)} ${isFault(step) ? '!!' : '>>'} ${describeStep(step)} (after ${afterMs} ms)`);
      next++;
    }
  };
  for (const event of log) {
    tellSteps(event.index);
    if (event.index === healedAt) lines.push(`${' '.repeat(12)} -- people and faults have stopped`);
    clock = event.at;
    if (isLogged(event) || violating.has(event.index)) lines.push(`${time(clock)} ${event.actor.name}: ${describeChange(event)}`);
    for (const { index, rule, message } of violations) if (index === event.index) lines.push(`${' '.repeat(12)} ** ${rule}: ${message}`);
  }
  for (const { index, rule, message } of violations) if (index === undefined) lines.push(`${' '.repeat(12)} ** ${rule}: ${message}`);
  return lines.join('\n');
}

/** Whether the event is part of the log. Leases, permissions and the conditions of clusters are not. */
function isLogged({ kind, actor }: ApiEvent): boolean {
  return !/^(leases|clusterroles|clusterrolebindings|rolebindings)$/.test(kind.plural) && !actor.name.endsWith(' clusters');
}

export function describeStep(step: Step): string {
  const { do: name, ...rest } = step;
  const fields = Object.entries(rest).filter(([, value]) => value !== undefined);
  return `${name} ${fields.map(([field, value]) => `${field}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`).join(' ')}`;
}

function describeChange({ kind, id, before, after }: ApiEvent): string {
  if (!before) return `creates ${kind.kind} ${id}${detail(kind.plural, undefined, after)}`;
  if (!after) return `deletes ${kind.kind} ${id}`;
  if (after.metadata.deletionTimestamp !== undefined && before.metadata.deletionTimestamp === undefined)
    return `asks to delete ${kind.kind} ${id}`;
  return `changes ${kind.kind} ${id}${detail(kind.plural, before, after)}`;
}

interface Readable {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
    readonly entries?: readonly {
      readonly name: string;
      readonly targetRevision?: number;
      readonly state?: string;
      readonly inFlight?: readonly { readonly cluster: string; readonly revision: number; readonly parkedSince?: string }[];
    }[];
    readonly decisions?: readonly { readonly clusterName: string }[];
    readonly pendingRemoval?: { readonly count: number };
  };
}

function detail(plural: string, before: KubeObject | undefined, after: KubeObject | undefined): string {
  const parts: string[] = [];
  const { spec, status } = (after ?? {}) as Readable;
  const was = (before ?? {}) as Readable;
  if (plural === 'addonrollouts') {
    for (const { name, targetRevision = 0, state = '', inFlight = [] } of status?.entries ?? []) {
      const moving = inFlight.map((one) => `${one.cluster}→${one.revision}${one.parkedSince === undefined ? '' : ' parked'}`).join(' ');
      parts.push(`${name}: target ${targetRevision} ${state} [${moving}]`);
    }
    parts.push(`spec ${JSON.stringify(spec ?? {})}`);
  } else if (plural === 'placementdecisions') parts.push((status?.decisions ?? []).map(({ clusterName }) => clusterName).join(' '));
  else if (plural === 'manifestworks') parts.push(JSON.stringify(spec).match(/"image":"([^"]*)"/)?.[1] ?? '');
  if (plural === 'managedclusteraddons') {
    if (JSON.stringify(spec) !== JSON.stringify(was.spec)) parts.push(`spec ${JSON.stringify(spec)}`);
    const revision = after?.metadata.annotations?.['outrigger.dev/revision'];
    if (revision !== before?.metadata.annotations?.['outrigger.dev/revision']) parts.push(`revision ${revision ?? 'none'}`);
  }
  for (const { type, status: value, reason } of status?.conditions ?? []) {
    const old = was.status?.conditions?.find((condition) => condition.type === type);
    if (old?.status !== value || old.reason !== reason) parts.push(`${type} ${value} ${reason}`);
  }
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}
