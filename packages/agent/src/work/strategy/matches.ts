import { type KubeObject, isJsonObject } from '@outrigger/core';
import { hasTexts } from './metadata.js';

/**
 * Whether a live object is what a manifest asks for: everything the manifest says is there. What it does not say is the server's
 * (defaults), another manager's (other labels, owners, finalizers) or an observation (status).
 */
export function matches(manifest: KubeObject, live: KubeObject): boolean {
  const { metadata, ...content } = manifest;
  if (!hasTexts(metadata.labels, live.metadata.labels) || !hasTexts(metadata.annotations, live.metadata.annotations)) return false;
  return Object.entries(content).every(([key, value]) => key === 'status' || holds(value, (live as unknown as Fields)[key]));
}

type Fields = Readonly<Record<string, unknown>>;

/** Whether `actual` says at least what `wanted` does. Lists are compared as a whole: their order and length mean something. */
export function holds(wanted: unknown, actual: unknown): boolean {
  if (isZero(wanted) && (actual === undefined || isZero(actual))) return true;
  if (Array.isArray(wanted)) {
    return Array.isArray(actual) && wanted.length === actual.length && wanted.every((item, index) => holds(item, actual[index]));
  }
  if (isJsonObject(wanted)) {
    if (!isJsonObject(actual)) return false;
    return Object.entries(wanted).every(([key, value]) => holds(value, Object.hasOwn(actual, key) ? actual[key] : undefined));
  }
  return wanted === actual;
}

/** To most servers an absent value and an empty one are the same, and they leave it out. */
export function isZero(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.values(value).every(isZero);
}
