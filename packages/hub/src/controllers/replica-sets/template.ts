import type { ManifestWorkSpec } from '@outrigger/api';
import { deepEqual, isJsonObject } from '@outrigger/core';
import type { ReplicaSetProjection } from '../../resources/replica-sets.js';
import type { ReplicaSetWorkProjection } from '../../resources/replica-set-works.js';

/**
 * Returns a function that reports whether a work has the template of the set. Ignores fields that the API server defaults if the work
 * records the digest of the template. A work from another controller records no digest, so its spec must equal the template exactly.
 */
export function templateTest({ template, digest }: ReplicaSetProjection): (work: ReplicaSetWorkProjection) => boolean {
  // Equal specs are stored once, so each distinct spec is compared once per pass.
  const compared = new Map<ManifestWorkSpec, { readonly contains: boolean; readonly isEqual: boolean }>();
  return (work) => {
    const known = compared.get(work.spec) ?? { contains: contains(work.spec, template), isEqual: deepEqual(work.spec, template) };
    compared.set(work.spec, known);
    return known.isEqual || (known.contains && work.digest === digest);
  };
}

function contains(actual: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(actual) && actual.length === wanted.length && wanted.every((item, i) => contains(actual[i], item));
  }
  if (isJsonObject(wanted)) {
    return isJsonObject(actual) && Object.entries(wanted).every(([name, value]) => contains(actual[name], value));
  }
  return deepEqual(actual, wanted);
}
