import type { JsonObject } from '@outrigger/core';
import type { WorkRecord } from '../resources/works.js';
import { contentDigest } from './identity.js';

/**
 * A note on every work we write, by which a later pass tells without rendering that nobody touched it since:
 * `<digest of the content>/<number of works>@<generation the write led to>`.
 */
export interface WrittenNote {
  readonly content: string;
  readonly works: number;
  readonly generation: number;
}

export function formatNote({ content, works, generation }: WrittenNote): string {
  return `${content}/${works}@${generation}`;
}

/** Undefined for what is no note of ours, which is as good as none. */
export function parseNote(text: string | undefined): WrittenNote | undefined {
  const [, content = '', works, generation] = /^([0-9a-f]+)\/(\d+)@(\d+)$/.exec(text ?? '') ?? [];
  return works === undefined || generation === undefined ? undefined : { content, works: Number(works), generation: Number(generation) };
}

/** What a work brings, and where it says it brings it. */
export function workContent(manifests: readonly unknown[], installNamespace: string | undefined): string {
  return contentDigest([manifests, installNamespace ?? '']);
}

/** How a work treats its manifests. What the API server fills in is left out, so that it is the same before and after the write. */
export function workTreatment({ manifestConfigs = [], deleteOption, executor }: Treatment): string {
  const withoutDefaults = manifestConfigs.map((config) =>
    Object.fromEntries(Object.entries(config).filter(([name, value]) => name !== 'feedbackScrapeType' || value !== 'Poll')),
  );
  return contentDigest([withoutDefaults, deleteOption, executor]);
}

export interface Treatment {
  readonly manifestConfigs?: readonly JsonObject[];
  readonly deleteOption?: unknown;
  readonly executor?: unknown;
}

/** The generation a work will have once it holds this content and treatment: only a change of its spec moves it. */
export function generationAfter(existing: WorkRecord | undefined, content: string, treatment: string): number {
  if (!existing) return 1;
  return existing.generation + (existing.content === content && existing.treatment === treatment ? 0 : 1);
}

/**
 * Whether a work is as we wrote it. Its content is compared; every other change of its spec shows in its generation, whatever fields the
 * server knows, fills in or drops. A lower generation than noted is none of a person's doing: a backup was restored.
 */
export function isUntouched({ written, content, generation }: WorkRecord, works: number): boolean {
  const note = parseNote(written);
  return note !== undefined && note.content === content && note.works === works && generation <= note.generation;
}
