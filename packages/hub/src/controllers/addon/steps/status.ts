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
import { type ConfigLookup, layered, type PinnedRef, refKey, toRef } from '@outrigger/rules/configuration';
import type { AddOnProjection } from '@outrigger/rules/observed';
import type { EffectiveConfigs } from '@outrigger/rules/effective';

/** A condition to set or remove. Conditions that are not listed stay unchanged. */
export type ConditionChange = AddOnCondition | { readonly type: AddOnCondition['type']; readonly remove: true };

/**
 * Sets the conditions of an add-on. `endsMove` is true if the status reports the end of a move for the first time. The time of Progressing
 * then changes even if status and reason do not, because a hub whose cache lags may never report that the move was in progress.
 */
export function applyConditions(
  clusterAddOn: AddOnProjection,
  changes: readonly ConditionChange[],
  now: Now,
  { endsMove = false }: { readonly endsMove?: boolean } = {},
): readonly Condition[] {
  let list: readonly Condition[] = clusterAddOn.status.conditions ?? [];
  for (const change of changes) {
    list =
      'remove' in change
        ? removeCondition(list, change.type)
        : // Users read the end of a move from the lastTransitionTime of Progressing, so this time also changes if only the reason changes.
          setCondition(list, change, { generation: clusterAddOn.generation, now: now.time, moveOnReason: change.type === 'Progressing' });
  }
  if (!endsMove) return list;
  return list.map((condition) => (condition.type === 'Progressing' ? { ...condition, lastTransitionTime: now.time } : condition));
}

/** Whether the content that `next` names as last applied differs from the content that the add-on's status names as last applied. */
export function appliesOtherContent({ status }: AddOnProjection, next: readonly ConfigReference[]): boolean {
  const before = appliedDigests(status.configReferences ?? []);
  const after = appliedDigests(next);
  return before.size !== after.size || [...after].some(([ref, digest]) => before.get(ref) !== digest);
}

function appliedDigests(references: readonly ConfigReference[]): ReadonlyMap<string, string> {
  return new Map(
    references.flatMap((ref): readonly [string, string][] => {
      const { specHash = '' } = ref.lastAppliedConfig ?? {};
      return specHash === '' ? [] : [[refKey(toRef(ref)), specHash]];
    }),
  );
}

/**
 * Lists the references in effect, and the references whose kind the add-on does not support; these have an empty digest. The last applied
 * config of each object stays in the list until the next move is done.
 */
export function configReferences(
  clusterAddOn: AddOnProjection,
  { refs: inEffect, unsupported }: Pick<EffectiveConfigs, 'refs' | 'unsupported'>,
  lookup: ConfigLookup,
  isDone: boolean,
): readonly ConfigReference[] {
  const before = new Map((clusterAddOn.status.configReferences ?? []).map((ref) => [refKey(toRef(ref)), ref]));
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

/** Returns the merge patch from the observed to the next status, or undefined if they are equal. */
export function statusPatch(clusterAddOn: AddOnProjection, next: ManagedClusterAddOnStatus): JsonObject | undefined {
  const patch = createMergePatch(clusterAddOn.status, next) as JsonObject;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** The maximum delay of a change of only a transient reason. During the delay, the change can be written together with the next patch. */
const PASSING_REASON_MS = 5_000;
/**
 * The minimum time between two changes of Degraded, and between two changes of Available while it flaps. Times in conditions are whole
 * seconds, so the actual interval may be one second shorter.
 */
const FLAP_REST_MS = 2_000;

/**
 * Returns the earliest time at which a patch may be written. During a move, a change of only transient reasons waits for the next patch,
 * but not longer than a fixed delay. If a dependency or the add-on's own health flaps, conditions change at most once a second.
 */
export function patchNotBefore(clusterAddOn: AddOnProjection, patch: JsonObject, now: Now): number {
  const fields = Object.keys(patch);
  // A stored time in the future means that the clock was stepped back, so do not wait for it.
  const past = (time: number): number => (time > now.wall ? 0 : time);
  const before = clusterAddOn.status.conditions ?? [];
  const next = (patch['conditions'] ?? []) as unknown as readonly Condition[];
  const changed = next.filter((condition) => !before.includes(condition));
  const isFirst = isFirstTurn(clusterAddOn, changed) && fields.every((field) => field === 'conditions' || field === 'healthCheck');
  if (isFirst) return Math.max(now.wall, past(clusterAddOn.createdAt) + PASSING_REASON_MS);
  const isRemoval = before.some(({ type }) => findCondition(next, type) === undefined);
  if (isRemoval || fields.some((field) => field !== 'conditions')) return now.wall;
  const progressing = findCondition(next, 'Progressing');
  if (progressing?.status === 'True' && changed.every((condition) => isPassing(condition, before))) {
    const startedAt = parseTime(progressing.lastTransitionTime) ?? now.wall;
    return Math.max(now.wall, past(startedAt) + PASSING_REASON_MS);
  }
  return Math.max(now.wall, past(flippedAt(changed, before)) + FLAP_REST_MS);
}

/** Whether the add-on was just created and is not admitted yet. The admission usually follows shortly. */
function isFirstTurn({ status }: AddOnProjection, changed: readonly Condition[]): boolean {
  return status.configReferences === undefined && changed.every(({ reason }) => reason === 'ConfigurationsNotConfigured');
}

/**
 * Returns the time at which the flapping condition last changed: Degraded if a dependency became unsatisfied or satisfied again, otherwise
 * Available. Returns 0 (no wait) if another condition changed too, which may be the end of a move, or if the health of the add-on was not
 * known before.
 */
function flippedAt(changed: readonly Condition[], before: readonly Condition[]): number {
  if (!changed.every(({ type }) => type === 'Degraded' || type === 'Available')) return 0;
  const { type, status } = findCondition(changed, 'Degraded') ?? changed[0] ?? {};
  const old = type === undefined ? undefined : findCondition(before, type);
  if (type === 'Available' && (old?.status === 'Unknown' || old?.status === status)) return 0;
  return parseTime(old?.lastTransitionTime) ?? 0;
}

/** Whether a condition change is transient during a move. Available=False is transient unless the add-on was available before. */
function isPassing(condition: Condition, before: readonly Condition[]): boolean {
  const old = findCondition(before, condition.type);
  if (condition.type === 'Available') {
    return condition.status !== 'True' && old?.status !== 'True' && condition.reason !== 'RequiredDependencyNotSatisfied';
  }
  return condition.type === 'Progressing' && old?.reason === condition.reason && old.status === condition.status;
}
