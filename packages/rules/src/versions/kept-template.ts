import type { RolloutTarget } from '@outrigger/api';
import { compareVersions, parseTime } from '@outrigger/core';
import { type PinnedRef, isTemplate } from '../configuration/references.js';
import { targetRefs } from '../revisions/revision.js';
import type { TemplateProjection } from '../observed/templates.js';
import type { VersionCatalog } from './catalog.js';
import type { TemplateChoice } from './choose.js';

/** A template that an entry keeps although the declaration no longer selects it. */
export interface KeptTemplate {
  readonly ref: PinnedRef;
  readonly version: string;
  /** Whether the template's version was the default, and no template provides this version any more. */
  readonly isDefaultGone: boolean;
}

/**
 * Returns the template of the entry's recorded target, if no template provides its version any more and the entry should keep that version.
 * It should if the declaration still requests the version, or if the version was the default and the remaining default is not higher.
 * Deleting a template therefore never moves a fleet to a lower version.
 */
export function keptTemplate(
  choice: TemplateChoice,
  isByDefault: boolean,
  catalog: VersionCatalog,
  had: RolloutTarget | undefined,
): KeptTemplate | undefined {
  const ref = had && targetRefs(had).find((candidate) => isTemplate(candidate) && candidate.specHash !== '');
  const version = had?.version ?? '';
  if (!ref || version === '' || catalog.templateOf(version)) return undefined;
  if (choice.type === 'unsupported-version' && choice.version === version) return { ref, version, isDefaultGone: false };
  if (!isByDefault) return undefined;
  const isHigher = choice.type === 'template' && isHigherThan(choice.template, had, catalog);
  return isHigher ? undefined : { ref, version, isDefaultGone: true };
}

/**
 * Whether a template has a higher version than a target whose template was deleted. If the versions are not semantic, the order of the
 * templates decides: a template that was created after the target was set is later than the template of the target.
 */
function isHigherThan({ version, createdAt }: TemplateProjection, had: RolloutTarget, { supported }: VersionCatalog): boolean {
  const order = compareVersions(version, had.version ?? '', supported);
  return order === undefined ? createdAt > (parseTime(had.targetedAt) ?? Number.POSITIVE_INFINITY) : order > 0;
}
