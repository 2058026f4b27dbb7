import { type ManifestWork, WRITTEN_ANNOTATION } from '@outrigger/api';
import { type JsonObject, isJsonObject, memoizeText } from '@outrigger/core';
import type { WorkProjection } from './work-projection.js';
import { contentDigest } from './identity.js';
import { storedForm } from './stored-form.js';

/**
 * The annotation that the manager sets on every work it writes. A later pass compares it to detect, without rendering, that the work has
 * not changed. Format: `<content digest>/<number of works>@<generation after the write>`.
 */
export interface WrittenNote {
  readonly content: string;
  readonly works: number;
  readonly generation: number;
}

export function formatNote({ content, works, generation }: WrittenNote): string {
  return `${content}/${works}@${generation}`;
}

/** Parses the annotation. Returns undefined if the text does not have its format; the annotation is then ignored. */
export function parseNote(text: string | undefined): WrittenNote | undefined {
  const [, content = '', works, generation] = /^([0-9a-f]+)\/(\d+)@(\d+)$/.exec(text ?? '') ?? [];
  return works === undefined || generation === undefined ? undefined : { content, works: Number(works), generation: Number(generation) };
}

/**
 * Digest of the manifests of a work and the namespace for which they were rendered. It is the same before and after an API server has
 * stored the manifests.
 */
export function workContent(manifests: readonly unknown[], installNamespace: string | undefined): string {
  return contentDigest([manifests.map(storedForm), installNamespace ?? '']);
}

/**
 * Returns the digest of `workContent`, and the digest that earlier versions of the manager computed from the manifests exactly as stored.
 */
export function workDigests(
  manifests: readonly unknown[],
  installNamespace: string | undefined,
): Pick<WorkProjection, 'content' | 'exactContent'> {
  const stored = manifests.map(storedForm);
  const content = contentDigest([stored, installNamespace ?? '']);
  const isStoredForm = stored.every((form, i) => form === manifests[i]);
  return { content, exactContent: isStoredForm ? content : contentDigest([manifests, installNamespace ?? '']) };
}

/** Digest of the work's options for its manifests. Values that an API server sets or omits do not affect it. */
export function workTreatment({ manifestConfigs = [], deleteOption, executor }: Treatment): string {
  return treatmentOf(JSON.stringify([manifestConfigs, deleteOption, executor]));
}

/** Returns the digest for the JSON of the options. The works of an add-on have equal options on all clusters, so it is computed once. */
const treatmentOf = memoizeText((text) => {
  const [manifestConfigs, deleteOption, executor] = JSON.parse(text) as [readonly unknown[], unknown, unknown];
  return contentDigest([manifestConfigs.map(withoutDefaults), withoutDefaults(deleteOption), withoutDefaults(executor)]);
});

/** Members of a work's spec that an API server sets, with their default values. */
const DEFAULTS: Readonly<Record<string, string>> = {
  feedbackScrapeType: 'Poll',
  propagationPolicy: 'Foreground',
  fieldManager: 'work-agent',
  condition: 'OnSpokePresent',
  type: 'Update',
};

function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (!isJsonObject(value)) return value ?? undefined;
  const kept = Object.entries(value)
    .map(
      ([name, member]) => [name, Object.hasOwn(DEFAULTS, name) && member === DEFAULTS[name] ? undefined : withoutDefaults(member)] as const,
    )
    .filter(([, member]) => member !== undefined);
  return Object.fromEntries(kept);
}

export interface Treatment {
  readonly manifestConfigs?: readonly JsonObject[];
  readonly deleteOption?: unknown;
  readonly executor?: unknown;
}

/** Returns the generation that a work will have with this content and these options. Only a change of its spec increases the generation. */
export function generationAfter(existing: WorkProjection | undefined, content: string, treatment: string): number {
  if (!existing) return 1;
  return existing.generation + (existing.content === content && existing.treatment === treatment ? 0 : 1);
}

/**
 * Whether a work is as the manager wrote it. Its content is compared directly; its generation shows every other change of its spec,
 * whichever fields the server defaults or drops. A generation below the annotated one means that a backup was restored, not that the work
 * was edited.
 */
export function isUntouched({ written, content, exactContent: exact, generation }: WorkProjection, works: number): boolean {
  const note = parseNote(written);
  if (note === undefined || note.works !== works || generation > note.generation) return false;
  return note.content === content || note.content === exact;
}

/**
 * The annotation for a work that still contains manifests to be removed later. It differs from the annotation of a finished write, so the
 * work never counts as up to date.
 */
export function keptNote(work: ManifestWork): string {
  return `keeping ${work.metadata.annotations?.[WRITTEN_ANNOTATION]?.split('@')[0] ?? ''}`;
}
