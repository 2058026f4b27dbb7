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

/**
 * Removes nulls and replaces invalid Unicode. It runs on the manifests of every work that is read, so it copies only the parts that change;
 * if nothing changes, it returns the value itself.
 */
function withoutNulls(value: unknown): unknown {
  if (typeof value === 'string') return wellFormed(value);
  if (Array.isArray(value)) return itemsWithoutNulls(value);
  return isJsonObject(value) ? membersWithoutNulls(value) : value;
}

function itemsWithoutNulls(items: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [i, item] of items.entries()) {
    const after = withoutNulls(item);
    if (copy === undefined && (after !== item || !isKept(item))) copy = items.slice(0, i);
    if (isKept(item)) copy?.push(after);
  }
  return copy ?? items;
}

function membersWithoutNulls(object: Readonly<Record<string, unknown>>): object {
  const names = Object.keys(object);
  let copy: (readonly [string, unknown])[] | undefined;
  for (const [i, name] of names.entries()) {
    const member = object[name];
    const afterName = wellFormed(name);
    const after = withoutNulls(member);
    if (copy === undefined && (after !== member || afterName !== name || !isKept(member)))
      copy = names.slice(0, i).map((earlier) => [earlier, object[earlier]]);
    if (isKept(member)) copy?.push([afterName, after]);
  }
  return copy ? Object.fromEntries(copy) : object;
}

const SURROGATE = /[\ud800-\udfff]/;

/** An unpaired surrogate is not a valid character; Go's decoder replaces it. */
function wellFormed(text: string): string {
  return SURROGATE.test(text) ? text.replace(/\p{Surrogate}/gu, '\ufffd') : text;
}

function isKept(value: unknown): boolean {
  return value !== null && value !== undefined;
}
