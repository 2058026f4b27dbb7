import type { RolloutTarget } from '@outrigger/api';
import { compareVersions } from '@outrigger/core';
import { type PinnedRef, isTemplate } from '../configuration/references.js';
import { targetRefs } from '../revisions/revision.js';
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
  const isHigher = choice.type === 'template' && (compareVersions(choice.template.version, version, catalog.supported) ?? 0) > 0;
  return isHigher ? undefined : { ref, version, isDefaultGone: true };
}
