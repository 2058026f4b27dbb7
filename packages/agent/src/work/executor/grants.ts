import type { PolicyRule, UpdateStrategy } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import type { Live } from '@outrigger/kube';

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
  const keepsRules = manifest.rules === undefined || (serverSideApply?.ignoreFields ?? []).length > 0;
  return {
    ...manifest,
    // The role of a binding never changes.
    ...(roleRef ? { roleRef } : {}),
    ...(aggregationRule ? { aggregationRule } : {}),
    ...(keepsRules && rules.length > 0 ? { rules: [...rules, ...(manifest.rules ?? [])] } : {}),
  };
}
