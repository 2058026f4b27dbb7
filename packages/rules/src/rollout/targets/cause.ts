import type { RolloutTarget, TargetChange } from '@outrigger/api';
import { isTemplate, type PinnedRef, refKey } from '../../configuration/references.js';
import { targetRefs } from '../../revisions/revision.js';
import { defaultConfigs } from '../../strategy/entries.js';
import type { StrategyEntry } from '../../strategy/entry.js';
import { pinOf } from './pins.js';
import type { TargetState } from './targets.js';

/** The cause of a change of an entry's target, and the field manager that made the change, as far as they are known. */
export type TargetCause = Pick<TargetChange, 'cause' | 'manager' | 'pinned'>;

interface Retargeting {
  readonly entry: StrategyEntry;
  /** The previous target; undefined if the entry had none. */
  readonly from: RolloutTarget | undefined;
  readonly to: RolloutTarget;
  /** The previous change of the target. */
  readonly last: TargetChange | undefined;
  /** Whether an automatic rollback set the target. */
  readonly isAutomatic: boolean;
}

export function causeOf(state: TargetState, { entry, from, to, last, isAutomatic }: Retargeting): TargetCause {
  const { managementAddOn, rollout } = state;
  if (isAutomatic) return { cause: 'Automatic' };
  const pin = pinOf(rollout?.spec, entry.name);
  if (pin) return { ...by('Pin', rollout?.pinManagers[pin.field]), pinned: true };
  // The pin was removed together with its managedFields entry, so the field manager is unknown.
  if (last?.pinned) return { cause: 'Pin' };
  const cause = from ? contentCause(from, to, followsDefaultVersion(state, entry)) : 'Declaration';
  return cause === 'Declaration' ? by(cause, managementAddOn.specManager) : { cause };
}

function by(cause: NonNullable<TargetCause['cause']>, manager: string | undefined): TargetCause {
  return manager === undefined ? { cause } : { cause, manager };
}

/**
 * Derives the cause from the difference between two targets. If the content changed but the names of the configs did not, an object was
 * edited in place.
 */
function contentCause(from: RolloutTarget, to: RolloutTarget, isByDefault: boolean): NonNullable<TargetCause['cause']> {
  const [before, after] = [targetRefs(from), targetRefs(to)];
  const known = new Map(before.map((ref) => [refKey(ref), ref.specHash]));
  const edited = after.filter((ref) => known.get(refKey(ref)) !== ref.specHash);
  const isSameNames = before.length === after.length && after.every((ref) => known.has(refKey(ref)));
  if (isSameNames && edited.length > 0) return edited.some(isTemplate) ? 'Template' : 'Config';
  const isTemplateOnly = names(before) === names(after);
  return isByDefault && isTemplateOnly ? 'DefaultVersion' : 'Declaration';
}

/** Returns the names of all configs except templates, as one string. */
function names(refs: readonly PinnedRef[]): string {
  return refs
    .filter((ref) => !isTemplate(ref))
    .map(refKey)
    .sort()
    .join();
}

/** Whether neither the declaration nor the entry names a version or a template. */
function followsDefaultVersion({ managementAddOn }: TargetState, { template, configs }: StrategyEntry): boolean {
  return template.installVersion === undefined && ![...defaultConfigs(managementAddOn.spec), ...configs].some(isTemplate);
}
