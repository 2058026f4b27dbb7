import { nameOf } from '@outrigger/core';
import {
  ADDON_VERSION_LABEL,
  CONFIG_SPEC_HASH_ANNOTATION,
  type ManifestWork,
  RENDER_INPUTS_ANNOTATION,
  WRITTEN_ANNOTATION,
} from '@outrigger/api';
import type { WorkProjection } from './work-projection.js';
import { manifestId } from './identity.js';
import { isCurrent } from './report.js';
import { keptNote } from './written.js';

/** The writes with which the wanted works replace the existing ones. */
export interface Succession {
  /** Works to create or change now. */
  readonly write: readonly ManifestWork[];
  /** Works to change now that keep manifests that are no longer wanted until the agent has applied all wanted works. */
  readonly keep: readonly KeptWork[];
  /** Works that are no longer wanted and may be deleted now. */
  readonly remove: readonly WorkProjection[];
  /** Names of written works that must be applied before any object is removed; empty if no removal waits. */
  readonly awaited: readonly string[];
}

export interface KeptWork {
  readonly work: ManifestWork;
  readonly projection: WorkProjection;
  /** The ids of the manifests that will be removed from the work later. */
  readonly lost: readonly string[];
}

/**
 * Plans the replacement so that an unwanted object is removed only after the agent has applied every wanted work; a version that cannot be
 * applied therefore removes nothing. Within one work the agent guarantees this order. With several works, unwanted manifests stay in their
 * work, and unwanted works stay, until all wanted works are applied. Works that already have the wanted content are not written again in
 * the meantime.
 */
export function succession(wanted: readonly ManifestWork[], existing: readonly WorkProjection[]): Succession {
  const byName = new Map(existing.map((projection) => [projection.key.name, projection]));
  const names = new Set(wanted.map(nameOf));
  const surplus = existing.filter(({ key, isDeleting }) => !names.has(key.name) && !isDeleting);
  const losing = wanted.length + surplus.length > 1 ? losingWorks(wanted, byName) : [];
  const shrinking = new Map(losing.map((one) => [one.work, one]));
  const isReady = (work: ManifestWork): boolean => {
    const projection = byName.get(nameOf(work));
    return shrinking.has(work) ? projection?.written === keptNote(work) && isOf(work, projection) : isWritten(work, projection);
  };
  const ready = wanted.filter(isReady);
  const isApplied = ready.length === wanted.length && ready.every((work) => isAppliedNow(byName.get(nameOf(work))));
  if (isApplied) return { write: losing.map(({ work }) => work), keep: [], remove: surplus, awaited: [] };
  const isWaiting = surplus.length > 0 || losing.length > 0;
  return {
    write: wanted.filter((work) => !shrinking.has(work) && !ready.includes(work)),
    keep: losing.filter(({ work }) => !ready.includes(work)),
    remove: [],
    awaited: isWaiting ? ready.map(nameOf) : [],
  };
}

/**
 * The wanted works whose existing version contains manifests that no wanted work contains. Manifests that move to another work are not
 * included.
 */
function losingWorks(wanted: readonly ManifestWork[], byName: ReadonlyMap<string, WorkProjection>): readonly KeptWork[] {
  const ids = new Set(wanted.flatMap(({ spec }) => (spec.workload?.manifests ?? []).map(manifestId)));
  return wanted.flatMap((work): KeptWork[] => {
    const projection = byName.get(nameOf(work));
    const lost = projection && !projection.isDeleting ? projection.manifestIds.filter((id) => !ids.has(id)) : [];
    return projection && lost.length > 0 ? [{ work, projection, lost }] : [];
  });
}

/**
 * Whether a work already has the wanted content. The `written` annotation contains the content digest and the generation, so it no longer
 * matches after a manual edit.
 */
function isWritten(work: ManifestWork, projection: WorkProjection | undefined): boolean {
  return isOf(work, projection) && projection?.written === work.metadata.annotations?.[WRITTEN_ANNOTATION];
}

/** Whether a work was written for the same content and add-on as the wanted one. */
function isOf({ metadata }: ManifestWork, projection: WorkProjection | undefined): boolean {
  const { labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  return (
    projection !== undefined &&
    !projection.isDeleting &&
    projection.version === (labels[ADDON_VERSION_LABEL] ?? '') &&
    projection.renderInputs === annotations[RENDER_INPUTS_ANNOTATION] &&
    projection.configSpecHash === annotations[CONFIG_SPEC_HASH_ANNOTATION] &&
    projection.ownerUid === ownerReferences.find(({ controller }) => controller)?.uid
  );
}

function isAppliedNow(projection: WorkProjection | undefined): boolean {
  return projection?.applied?.status === 'True' && isCurrent(projection, projection.applied);
}
