import { type Json, isJsonObject, parseApiVersion } from '@outrigger/core';

/** Two manifests in one list that describe the same object, by their positions. */
export interface RepeatedObject {
  readonly first: number;
  readonly second: number;
}

/**
 * Returns the manifests that describe the same object as an earlier manifest. Group, kind, namespace and name identify an object; the
 * version is not compared. `isCompared` excludes manifests from the comparison.
 */
export function repeatedObjects(
  manifests: readonly Json[],
  isCompared: (manifest: Json) => boolean = () => true,
): readonly RepeatedObject[] {
  const seen = new Map<string, number>();
  return manifests.flatMap((manifest, position): RepeatedObject[] => {
    const id = isCompared(manifest) ? objectId(manifest) : undefined;
    if (id === undefined) return [];
    const first = seen.get(id);
    if (first === undefined) seen.set(id, position);
    return first === undefined ? [] : [{ first, second: position }];
  });
}

/**
 * Returns the identity of a manifest's object, or undefined for a value that is not a manifest or has no name, which other checks report.
 */
function objectId(manifest: Json): string | undefined {
  if (!isJsonObject(manifest)) return undefined;
  const { apiVersion, kind, metadata } = manifest;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !isJsonObject(metadata)) return undefined;
  const { name, namespace = '' } = metadata;
  if (typeof name !== 'string' || name === '') return undefined;
  return JSON.stringify([parseApiVersion(apiVersion).group, kind, namespace ?? '', name]);
}
