import { isJsonObject } from '@outrigger/core';
import { knownMeta } from '@outrigger/core/schema';

/**
 * Normalizes a manifest, so that the result is the same however an API server stores it. A server drops empty and unknown members of an
 * embedded object's metadata and rewrites its times, a merge patch drops nulls that a create keeps, and invalid Unicode is replaced. The
 * result is used only for comparisons; works are written as rendered. Returns the value itself if nothing changes.
 */
export function storedForm(manifest: unknown): unknown {
  if (!isJsonObject(manifest)) return withoutNulls(manifest);
  const { metadata, ...rest } = manifest;
  if (metadata === undefined) return withoutNulls(manifest);
  const lasting = lastingMeta(metadata);
  if (lasting === metadata) return withoutNulls(manifest);
  return withoutNulls(lasting === undefined ? rest : { ...rest, metadata: lasting });
}

/** Members of metadata that the cluster's API server sets, so that a manifest cannot set them. */
const SET_BY_SERVER: ReadonlySet<string> = new Set([
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
]);

function lastingMeta(metadata: unknown): unknown {
  const known = knownMeta(metadata, () => undefined);
  if (!isJsonObject(known)) return known;
  const names = Object.keys(known);
  if (names.length === 0) return undefined;
  if (!names.some((name) => SET_BY_SERVER.has(name))) return known;
  return Object.fromEntries(Object.entries(known).filter(([name]) => !SET_BY_SERVER.has(name)));
}

function withoutNulls(value: unknown): unknown {
  if (typeof value === 'string') return wellFormed(value);
  if (Array.isArray(value)) {
    const items = value.filter(isKept).map(withoutNulls);
    return items.length === value.length && items.every((item, i) => item === value[i]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  const kept = entries.filter(([, member]) => isKept(member)).map(([name, member]) => [wellFormed(name), withoutNulls(member)] as const);
  const isSame =
    kept.length === entries.length && kept.every(([name, member], i) => name === entries[i]?.[0] && member === entries[i]?.[1]);
  return isSame ? value : Object.fromEntries(kept);
}

/** An unpaired surrogate is not a valid character; Go's decoder replaces it. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

function isKept(value: unknown): boolean {
  return value !== null && value !== undefined;
}
