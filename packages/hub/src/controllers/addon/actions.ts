import { type ManifestWork, clusterManagementAddOns, managedClusterAddOns, manifestWorks } from '@outrigger/api';
import { type JsonObject, apiVersionOf } from '@outrigger/core';
import type { Action } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import type { WorkRecord } from '../../resources/works.js';
import { deployWorkIndex } from '../../works/desired.js';
import type { AddOnState } from './state.js';
import type { WorksPlan } from './steps/plan-works.js';

/** Creates, changes and removes works so that they are those the plan asks for. */
export function workActions(state: AddOnState, plan: WorksPlan): readonly Action[] {
  if (plan.type !== 'write') return [];
  const existing = new Map(state.works.map((work) => [work.key.name, work]));
  const wanted = new Set(plan.works.map((work) => work.metadata.name));
  const surplus = state.works.filter(
    (work) => deployWorkIndex(state.addOn.key.name, work.key.name) !== undefined && !wanted.has(work.key.name) && !work.isDeleting,
  );
  return [...plan.works.map((work) => writeWork(work, existing.get(work.metadata.name ?? ''))), ...surplus.map(deleteWork)];
}

/** The first refusal among the works this plan would write, in the API server's words. */
export function workRefusal({ outcomes }: AddOnState, plan: WorksPlan): string | undefined {
  if (plan.type !== 'write') return undefined;
  return plan.works.map((work) => outcomes.refusal(workActionId(work.metadata.name ?? ''))).find((refusal) => refusal !== undefined)
    ?.message;
}

/** Every add-on, made by whom ever, belongs to its declaration, so that it goes when the declaration does. */
export function ownerActions({ addOn, declaration }: AddOnState): readonly Action[] {
  if (!declaration || addOn.ownerReferences.some(({ uid, controller }) => uid === declaration.uid && controller)) return [];
  const owner = {
    apiVersion: apiVersionOf(clusterManagementAddOns),
    kind: clusterManagementAddOns.kind,
    name: declaration.key.name,
    uid: declaration.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  // An older declaration of the same name is no owner any more; somebody else's controller reference is left alone.
  const others = addOn.ownerReferences.filter(({ kind, name }) => kind !== owner.kind || name !== owner.name);
  if (others.some(({ controller }) => controller)) return [];
  return [
    {
      type: 'patch',
      id: 'owner',
      api: HUB,
      kind: managedClusterAddOns,
      key: addOn.key,
      patch: { metadata: { ownerReferences: [...others, owner] as unknown as JsonObject[] } },
      precondition: { uid: addOn.uid, resourceVersion: addOn.resourceVersion },
    },
  ];
}

function workActionId(name: string): string {
  return `work/${name}`;
}

function writeWork(work: ManifestWork, existing: WorkRecord | undefined): Action {
  const base = { id: workActionId(work.metadata.name ?? ''), api: HUB, kind: manifestWorks } as const;
  if (!existing) return { ...base, type: 'create', object: work };
  const { labels, annotations, ownerReferences } = work.metadata;
  return {
    ...base,
    type: 'patch',
    key: existing.key,
    // Parts of the spec that are gone must be named to be removed: a merge patch keeps what it does not mention.
    patch: {
      metadata: { labels, annotations, ownerReferences },
      spec: { deleteOption: null, manifestConfigs: null, executor: null, ...work.spec },
    } as unknown as JsonObject,
    precondition: { uid: existing.uid, resourceVersion: existing.resourceVersion },
  };
}

function deleteWork(work: WorkRecord): Action {
  return {
    type: 'delete',
    id: workActionId(work.key.name),
    api: HUB,
    kind: manifestWorks,
    key: work.key,
    precondition: { uid: work.uid },
    accept: ['NotFound'],
  };
}
