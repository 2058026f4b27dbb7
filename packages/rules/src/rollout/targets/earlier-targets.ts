import type { RolloutEntry, RolloutTarget } from '@outrigger/api';
import { compareVersions } from '@outrigger/core';
import { type ConfigRef, isTemplate, refKey } from '../../configuration/references.js';
import { targetRefs } from '../../revisions/revision.js';
import type { TargetHistory } from '../../revisions/target-history.js';
import { entriesOf } from '../../strategy/entries.js';
import type { StrategyEntry } from '../../strategy/entry.js';
import type { TargetState } from './targets.js';

/** Recorded targets, from which an entry takes the content of templates and configs that were deleted while they were in use. */
export interface EarlierTargets {
  readonly all: readonly RolloutTarget[];
  /** The targets of entries that name neither a version nor a template, highest version first. */
  readonly byDefault: readonly RolloutTarget[];
}

/**
 * Returns the last target of an entry. A new entry has none and gets the targets of the other entries, because its clusters come from those
 * entries. A new Placement or another type of install strategy must not move the clusters to a lower version.
 */
export function earlierTargets(
  { managementAddOn: { spec }, rollout, catalog }: Pick<TargetState, 'managementAddOn' | 'rollout' | 'catalog'>,
  history: Pick<TargetHistory, 'find'>,
  own: RolloutTarget | undefined,
): EarlierTargets {
  if (own) return { all: [own], byDefault: [own] };
  const entries = rollout?.status.entries ?? [];
  const targetsOf = (some: readonly RolloutEntry[]): readonly RolloutTarget[] =>
    some.flatMap(({ targetRevision }) => history.find(targetRevision) ?? []);
  // Entries that are not declared any more are included, because they may have followed the default version.
  const naming = new Set(entriesOf(spec).flatMap((entry) => (namesVersion(entry) ? [entry.name] : [])));
  const byVersion = (a: RolloutTarget, b: RolloutTarget): number =>
    (compareVersions(b.version ?? '', a.version ?? '', catalog.supported) ?? 0) || b.revision - a.revision;
  return { all: targetsOf(entries), byDefault: [...targetsOf(entries.filter(({ name }) => !naming.has(name)))].sort(byVersion) };
}

/** Whether an entry names the version or the template of its clusters. */
function namesVersion({ template, configs }: StrategyEntry): boolean {
  return template.installVersion !== undefined || configs.some(isTemplate);
}

/**
 * Returns the digest that a target has for a config. Undefined if the target does not name the config, or if the config did not exist when
 * the target was recorded.
 */
export function targetDigest(target: RolloutTarget, ref: ConfigRef): string | undefined {
  return targetRefs(target).find((other) => refKey(other) === refKey(ref))?.specHash || undefined;
}

/** The first result that is not undefined. */
export function firstOf<T, R>(list: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of list) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
