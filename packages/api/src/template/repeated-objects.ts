import { type Json, isJsonObject, parseApiVersion } from '@outrigger/core';

/** The positions of two manifests in one list that describe the same object. */
export interface RepeatedObject {
  readonly first: number;
  readonly second: number;
}

/**
 * Returns the manifests that describe the same object as an earlier manifest. Group, kind, namespace and name identify an object; the
 * version is not compared. Manifests for which `isCompared` returns false are left out.
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
 * Returns the identity of a manifest's object. Returns undefined for a value that is not a manifest or has no name; other checks report
 * such a value.
 */
function objectId(manifest: Json): string | undefined {
  if (!isJsonObject(manifest)) return undefined;
  const { apiVersion, kind, metadata } = manifest;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !isJsonObject(metadata)) return undefined;
  const { name, namespace = '' } = metadata;
  if (typeof name !== 'string' || name === '') return undefined;
  return JSON.stringify([parseApiVersion(apiVersion).group, kind, namespace ?? '', name]);
}
