import type { IgnoreFields, PolicyRule, UpdateStrategy } from '@outrigger/api';
import { type KubeObject, deepEqual } from '@outrigger/core';
import type { Live } from '@outrigger/kube';
import { ignoredPaths, withoutPaths } from '../strategy/ignore-fields.js';

/** The fields of roles and bindings that decide which permissions an object grants. */
interface Granting extends KubeObject {
  readonly roleRef?: object;
  readonly aggregationRule?: object;
  readonly rules?: readonly PolicyRule[];
}

/**
 * Returns the object whose permissions the executor must be able to grant: the role or binding as it is after the write. A server-side apply
 * keeps fields of the live object that the manifest omits or ignores, so these count too. An API server also checks the whole object.
 */
export function grantedObject(manifest: Granting, live: Live, { type, serverSideApply }: UpdateStrategy): KubeObject {
  if (type !== 'ServerSideApply' || live.state !== 'present') return manifest;
  const { roleRef, aggregationRule, rules = [] } = live.object as Granting;
  return {
    ...manifest,
    // The role of a binding never changes.
    ...(roleRef ? { roleRef } : {}),
    ...(aggregationRule ? { aggregationRule } : {}),
    ...(rules.length > 0 && keepsRules(manifest, serverSideApply?.ignoreFields ?? []) ? { rules: [...rules, ...(manifest.rules ?? [])] } : {}),
  };
}

/** Whether rules of the live role stay because the apply omits rules. An apply that sends all rules of the manifest replaces the list. */
function keepsRules(manifest: Granting, ignoreFields: readonly IgnoreFields[]): boolean {
  if (manifest.rules === undefined) return true;
  try {
    const sent: Granting = withoutPaths(manifest, ignoredPaths(ignoreFields));
    return !deepEqual(sent.rules, manifest.rules);
  } catch {
    return true; // A path that cannot be parsed. The strategy reports it and writes nothing.
  }
}
