import { setOwn } from '@outrigger/core';

type Texts = Readonly<Record<string, string>>;

/**
 * Merges labels or annotations of a manifest into those of the live object, without the keys that only earlier versions of the manifest set
 * (`withdrawn`). A key that ends in `-` removes the key before the `-`.
 */
export function mergeTexts(wanted: Texts | undefined, live: Texts | undefined, withdrawn: ReadonlySet<string>): Texts {
  const merged: Record<string, string> = Object.fromEntries(Object.entries(live ?? {}).filter(([key]) => !withdrawn.has(key)));
  for (const [key, value] of Object.entries(wanted ?? {})) {
    if (isRemoval(key)) delete merged[removedKey(key)];
    else setOwn(merged, key, value);
  }
  return merged;
}

/** Whether the live object already has the result of the merge. */
export function hasTexts(wanted: Texts | undefined, live: Texts | undefined): boolean {
  const has = (key: string): boolean => live !== undefined && Object.hasOwn(live, key);
  return Object.entries(wanted ?? {}).every(([key, value]) => (isRemoval(key) ? !has(removedKey(key)) : has(key) && live?.[key] === value));
}

/** Returns the labels or annotations for a new object, without the keys that only remove other keys. */
export function addedTexts(wanted: Texts | undefined): Texts | undefined {
  if (!wanted || !Object.keys(wanted).some(isRemoval)) return wanted;
  return Object.fromEntries(Object.entries(wanted).filter(([key]) => !isRemoval(key)));
}

/** Returns the live object's values for the keys of a manifest; null for a missing key. */
export function textsUnder(wanted: Texts | undefined, live: Texts | undefined): Readonly<Record<string, string | null>> {
  const valueOf = (key: string): string | null => (live && Object.hasOwn(live, key) ? (live[key] ?? null) : null);
  return Object.fromEntries(Object.keys(wanted ?? {}).map((key) => [key, valueOf(isRemoval(key) ? removedKey(key) : key)]));
}

function isRemoval(key: string): boolean {
  return key.endsWith('-');
}

function removedKey(key: string): string {
  return key.slice(0, -1);
}
