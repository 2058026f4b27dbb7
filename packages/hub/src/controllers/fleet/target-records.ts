import { type RolloutEntry, controllerRevisions } from '@outrigger/api';
import { earliest } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import type { TargetRecordProjection } from '@outrigger/rules/observed';
import { type EntryStep, targetRecordName, targetRecordObject } from '@outrigger/rules/rollout';
import { HUB } from '../../resources/base.js';
import { declarationOwner } from './owner.js';
import type { FleetState } from './state.js';

/** The actions that store the records of ended targets, and the actions that collect records that no timeline names any more. */
export interface TargetRecordPlan {
  /**
   * The actions that store records. They are executed before the status of the rollout is written, because its timeline names the records.
   */
  readonly store: readonly ApiAction[];
  readonly collect: readonly ApiAction[];
  /** When a record that no timeline names is old enough to be collected. */
  readonly recheckAt: number | undefined;
}

/** A record is stored before a timeline names it, so only records older than this are collected. */
const GRACE_MS = 10 * 60_000;

export function planTargetRecords(
  state: FleetState,
  steps: readonly EntryStep[],
  entries: readonly RolloutEntry[],
  now: number,
): TargetRecordPlan {
  const next = namesIn(entries);
  const ended = steps.flatMap(({ targetRecords = [] }) => targetRecords).filter((record) => next.has(targetRecordName(record)));
  const owner = declarationOwner(state.managementAddOn, { isController: false });
  const store = ended.map((record): ApiAction => {
    const object = targetRecordObject(record, state.contentNamespace, owner);
    const id = object.metadata.name ?? '';
    // The record is only a report, so the rollout continues even if the API server refuses to store it.
    return {
      type: 'create',
      id,
      api: HUB,
      kind: controllerRevisions,
      object,
      accept: ['AlreadyExists', 'Forbidden', 'Invalid', 'NotFound'],
    };
  });
  if (state.targetRecords.length === 0) return { store, collect: [], recheckAt: undefined };
  const named = new Set([...next, ...namesIn(state.rollout?.status.entries ?? [])]);
  const garbage = state.targetRecords.filter(({ key }) => !named.has(key.name));
  const waits = garbage.flatMap(({ createdAt }) => (createdAt + GRACE_MS < now ? [] : [createdAt + GRACE_MS + 1]));
  return {
    store,
    collect: garbage.filter(({ createdAt }) => createdAt + GRACE_MS < now).map(deletion),
    recheckAt: earliest(...waits),
  };
}

function namesIn(entries: readonly RolloutEntry[]): ReadonlySet<string> {
  return new Set(entries.flatMap(({ timeline = [] }) => timeline.flatMap(({ record }) => record ?? [])));
}

function deletion({ key, uid, resourceVersion }: TargetRecordProjection): ApiAction {
  const precondition = { uid, resourceVersion };
  return { type: 'delete', id: key.name, api: HUB, kind: controllerRevisions, key, precondition, accept: ['NotFound'] };
}
