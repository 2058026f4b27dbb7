import type { AddOnCondition, ConfigReference, ManagedClusterAddOnStatus } from '@outrigger/api';
import {
  type Condition,
  type JsonObject,
  createMergePatch,
  findCondition,
  parseTime,
  removeCondition,
  setCondition,
} from '@outrigger/core';
import type { Now } from '@outrigger/kube';
import { type PinnedRef, layered, refKey, toRef } from '../../../configuration/references.js';
import type { AddOnRecord } from '../../../resources/add-ons.js';
import type { ConfigLookup } from '../../../configuration/lookup.js';
import type { EffectiveConfigs } from './configuration.js';

/** A condition to set, or the name of one to take away; what is not mentioned stays as somebody else wrote it. */
export type ConditionChange = AddOnCondition | { readonly type: AddOnCondition['type']; readonly remove: true };

export function applyConditions(addOn: AddOnRecord, changes: readonly ConditionChange[], now: Now): readonly Condition[] {
  let list: readonly Condition[] = addOn.status.conditions ?? [];
  for (const change of changes) {
    list =
      'remove' in change
        ? removeCondition(list, change.type)
        : // The finish time of a move is what people read off Progressing, so its clock moves with the reason too.
          setCondition(list, change, { generation: addOn.generation, now: now.time, moveOnReason: change.type === 'Progressing' });
  }
  return list;
}

/**
 * The references in effect, and with an empty digest those of kinds the add-on does not take. What was last applied is remembered per object
 * until it is done again.
 */
export function configReferences(
  addOn: AddOnRecord,
  { refs: inEffect, unsupported }: Pick<EffectiveConfigs, 'refs' | 'unsupported'>,
  lookup: ConfigLookup,
  isDone: boolean,
): readonly ConfigReference[] {
  const before = new Map((addOn.status.configReferences ?? []).map((ref) => [refKey(toRef(ref)), ref]));
  const shown = layered<PinnedRef>([[...inEffect, ...unsupported.map((ref) => ({ ...ref, specHash: '' }))]]);
  return shown.map((ref) => {
    const { group, resource, name, specHash } = ref;
    const place = ref.namespace === '' ? {} : { namespace: ref.namespace };
    const old = before.get(refKey(ref));
    const live = lookup.live(ref);
    const generation = typeof live !== 'string' && live.specHash === specHash ? live.generation : old?.lastObservedGeneration;
    const lastAppliedConfig = isDone ? { ...place, name, specHash } : old?.lastAppliedConfig;
    return {
      group,
      resource,
      ...place,
      name,
      ...(generation === undefined ? {} : { lastObservedGeneration: generation }),
      desiredConfig: { ...place, name, specHash },
      ...(lastAppliedConfig ? { lastAppliedConfig } : {}),
    };
  });
}

/** The merge patch from the observed status to the next one; undefined where they are the same. */
export function statusPatch(addOn: AddOnRecord, next: ManagedClusterAddOnStatus): JsonObject | undefined {
  const patch = createMergePatch(addOn.status, next) as JsonObject;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** How long a reason that only passes by may wait for the next patch to carry it. */
const PASSING_REASON_MS = 5_000;
/** Rest between two flips of Degraded: times in conditions are whole seconds, so this is at least one. */
const FLAP_REST_MS = 2_000;

/**
 * When a patch may be written at the earliest. While a move is under way, a change of nothing but passing reasons rides on the next patch;
 * it is written alone once it has stood for a while. A dependency that flaps changes conditions at most once a second.
 */
export function patchNotBefore(addOn: AddOnRecord, patch: JsonObject, now: Now): number {
  const fields = Object.keys(patch);
  const before = addOn.status.conditions ?? [];
  const next = (patch['conditions'] ?? []) as unknown as readonly Condition[];
  const changed = next.filter((condition) => !before.includes(condition));
  const isFirst = isFirstTurn(addOn, changed) && fields.every((field) => field === 'conditions' || field === 'healthCheck');
  if (isFirst) return Math.max(now.wall, addOn.createdAt + PASSING_REASON_MS);
  const isRemoval = before.some(({ type }) => findCondition(next, type) === undefined);
  if (isRemoval || fields.some((field) => field !== 'conditions')) return now.wall;
  if (isFlap(changed)) {
    const flippedAt = parseTime(findCondition(before, 'Degraded')?.lastTransitionTime) ?? 0;
    return Math.max(now.wall, flippedAt + FLAP_REST_MS);
  }
  const progressing = findCondition(next, 'Progressing');
  if (progressing?.status !== 'True' || !changed.every((condition) => isPassing(condition, before))) return now.wall;
  const startedAt = parseTime(progressing.lastTransitionTime) ?? now.wall;
  return Math.max(now.wall, startedAt + PASSING_REASON_MS);
}

/** Just made and waiting for its turn: it mostly comes within a moment. */
function isFirstTurn({ status }: AddOnRecord, changed: readonly Condition[]): boolean {
  return status.configReferences === undefined && changed.every(({ reason }) => reason === 'ConfigurationsNotConfigured');
}

/** What a missing or returning dependency changes: Degraded, and perhaps Available along with it. */
function isFlap(changed: readonly Condition[]): boolean {
  const types = changed.map(({ type }) => type);
  return types.includes('Degraded') && types.every((type) => type === 'Degraded' || type === 'Available');
}

/** Not there yet is no news while the add-on is on its way; not there any more is. */
function isPassing(condition: Condition, before: readonly Condition[]): boolean {
  const old = findCondition(before, condition.type);
  if (condition.type === 'Available') {
    return condition.status !== 'True' && old?.status !== 'True' && condition.reason !== 'RequiredDependencyNotSatisfied';
  }
  return condition.type === 'Progressing' && old?.reason === condition.reason && old.status === condition.status;
}
