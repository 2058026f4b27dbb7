import {
  ADDON_VERSION_LABEL,
  CONFIG_SPEC_HASH_ANNOTATION,
  type ManifestWork,
  RENDER_INPUTS_ANNOTATION,
  WRITTEN_ANNOTATION,
} from '@outrigger/api';
import type { WorkRecord } from '../resources/works.js';
import { isCurrent } from './report.js';

/** How works that exist give way to the works that are wanted. */
export interface Succession {
  /** Works to create or change now. */
  readonly write: readonly ManifestWork[];
  /** Works that are not wanted any more, once they may go. */
  readonly remove: readonly WorkRecord[];
  /** Names of written works that must be applied before anything is removed; empty where nothing waits. */
  readonly awaited: readonly string[];
}

/**
 * A work that is not wanted any more goes only after the agent has applied every wanted one: a version that cannot be applied removes no
 * object. Wanted works that are as they should be are not written again meanwhile.
 */
export function succession(wanted: readonly ManifestWork[], existing: readonly WorkRecord[]): Succession {
  const standing = new Map(existing.map((record) => [record.key.name, record]));
  const names = new Set(wanted.map(({ metadata }) => metadata.name ?? ''));
  const surplus = existing.filter(({ key, isDeleting }) => !names.has(key.name) && !isDeleting);
  const written = wanted.filter((work) => isWritten(work, standing.get(work.metadata.name ?? '')));
  const isApplied = written.length === wanted.length && written.every(({ metadata }) => isAppliedNow(standing.get(metadata.name ?? '')));
  return {
    write: wanted.filter((work) => !written.includes(work)),
    remove: isApplied ? surplus : [],
    awaited: surplus.length === 0 || isApplied ? [] : written.map(({ metadata }) => metadata.name ?? ''),
  };
}

/** Whether a work holds the wanted content already. The note says which content and generation, so an edit by hand differs from it. */
function isWritten({ metadata }: ManifestWork, record: WorkRecord | undefined): boolean {
  const { labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  return (
    record !== undefined &&
    !record.isDeleting &&
    record.version === (labels[ADDON_VERSION_LABEL] ?? '') &&
    record.renderInputs === annotations[RENDER_INPUTS_ANNOTATION] &&
    record.written === annotations[WRITTEN_ANNOTATION] &&
    record.configSpecHash === annotations[CONFIG_SPEC_HASH_ANNOTATION] &&
    record.ownerUid === ownerReferences.find(({ controller }) => controller)?.uid
  );
}

function isAppliedNow(record: WorkRecord | undefined): boolean {
  return record?.applied?.status === 'True' && isCurrent(record, record.applied);
}
