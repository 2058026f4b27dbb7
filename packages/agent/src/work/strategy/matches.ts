import { type KubeObject, isJsonObject } from '@outrigger/core';
import { hasTexts } from './metadata.js';

/**
 * Whether a live object has every value of a manifest. Additional values are ignored, because they come from the server (defaults), from
 * other managers (other labels, owners, finalizers) or from observation (status).
 */
export function matches(manifest: KubeObject, live: KubeObject): boolean {
  const { metadata, ...content } = manifest;
  if (!hasTexts(metadata.labels, live.metadata.labels) || !hasTexts(metadata.annotations, live.metadata.annotations)) return false;
  return Object.entries(content).every(([key, value]) => key === 'status' || holds(value, (live as unknown as Fields)[key]));
}

type Fields = Readonly<Record<string, unknown>>;

/** Whether `actual` has at least the values of `wanted`. Lists must have the same length and order. */
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

/** Whether a value is empty. Most servers treat an empty value like an absent one and omit it. */
export function isZero(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.values(value).every(isZero);
}
