import { type ManifestWork, managedClusterAddOns, manifestWorks } from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import type { Action, ApiAction, Decision } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import { workPatch, type WorkProjection } from '@outrigger/rules/works';
import type { GuardEffects } from '../declaration-guard.js';
import { type KeepEffects, keepManifests } from './kept-work.js';
import type { AddOnMemory, AddOnState } from './state.js';
import { deployWorks, type WorksPlan } from '@outrigger/rules/plan';
import { deleteObserved, patchObserved, patchObservedStatus } from '../observed-actions.js';

export type AddOnEffects = GuardEffects & KeepEffects;

export type AddOnAction = Action<AddOnEffects>;

export type AddOnDecision = Decision<AddOnMemory, AddOnEffects>;

/** The actions that create, change and delete works according to the plan. */
export function workActions(state: AddOnState, plan: WorksPlan): readonly AddOnAction[] {
  if (plan.type !== 'write') return [];
  const existing = new Map(deployWorks(state).map((work) => [work.key.name, work]));
  // A work that is being deleted cannot be changed; a later pass creates it again after the deletion.
  const writable = plan.works.filter((work) => !existing.get(work.metadata.name ?? '')?.isDeleting);
  const kept = plan.keep.map(({ work, projection, lost }) => keepManifests(workActionId(projection.key.name), projection, work, lost));
  return [...writable.map((work) => writeWork(work, existing.get(work.metadata.name ?? ''))), ...kept, ...plan.surplus.map(deleteWork)];
}

/** The first message with which the API server rejected a work of this plan, if it rejected any. */
export function workRefusal({ outcomes }: AddOnState, plan: WorksPlan): string | undefined {
  if (plan.type !== 'write') return undefined;
  const works = [...plan.works, ...plan.keep.map(({ work }) => work)];
  return works.map((work) => outcomes.refusal(workActionId(work.metadata.name ?? ''))).find((refusal) => refusal !== undefined)?.message;
}

export function createWork(work: ManifestWork): ApiAction {
  return { type: 'create', id: workActionId(work.metadata.name ?? ''), api: HUB, kind: manifestWorks, object: work, adopt: true };
}

/** The id of the action that writes the status. */
export const STATUS_ACTION = 'status';

export function patchStatus({ clusterAddOn }: AddOnState, status: JsonObject): ApiAction {
  return patchObservedStatus(clusterAddOn, managedClusterAddOns, STATUS_ACTION, status);
}

function workActionId(name: string): string {
  return `work/${name}`;
}

function writeWork(work: ManifestWork, existing: WorkProjection | undefined): ApiAction {
  if (!existing) return createWork(work);
  return patchObserved(existing, manifestWorks, workActionId(existing.key.name), workPatch(work));
}

function deleteWork(work: WorkProjection): ApiAction {
  return deleteObserved(work, manifestWorks, workActionId(work.key.name));
}
