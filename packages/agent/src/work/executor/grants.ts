import type { IgnoreFields, PolicyRule, UpdateStrategy } from '@outrigger/api';
import { type KubeObject, deepEqual, mergePatch } from '@outrigger/core';
import type { Live } from '@outrigger/kube';
import { ignoredPaths, withoutPaths } from '../strategy/ignore-fields.js';

/** The fields of an object that decide which permissions its writer needs. API servers store a role without rules as `rules: null`. */
interface Granting extends KubeObject {
  readonly roleRef?: object | null;
  readonly aggregationRule?: object | null;
  readonly rules?: readonly PolicyRule[] | null;
  readonly spec?: object | null;
}

/** The fields of the spec of policies, their bindings and trust bundles that decide which permissions the writer needs. */
const CHECKED_SPEC: readonly string[] = ['paramKind', 'paramRef', 'policyName', 'signerName'];

/**
 * Returns the object for which the executor must have the permissions that its writer needs: the object as it is after the write. A server-side
 * apply keeps fields of the live object that the manifest omits or ignores, so these count too. An API server also checks the whole object.
 */
export function grantedObject(manifest: Granting, live: Live, { type, serverSideApply }: UpdateStrategy): KubeObject {
  if (type !== 'ServerSideApply' || live.state !== 'present') return manifest;
  const { roleRef, aggregationRule, rules, spec } = live.object as Granting;
  const kept = rules ?? [];
  const checked = Object.fromEntries(Object.entries(spec ?? {}).filter(([name]) => CHECKED_SPEC.includes(name)));
  return {
    ...manifest,
    // The role of a binding never changes.
    ...(roleRef ? { roleRef } : {}),
    ...(aggregationRule ? { aggregationRule } : {}),
    ...(Object.keys(checked).length > 0 ? { spec: mergePatch<object>(checked, manifest.spec ?? {}) } : {}),
    ...(kept.length > 0 && keepsRules(manifest, serverSideApply?.ignoreFields ?? [])
      ? { rules: [...kept, ...(manifest.rules ?? [])] }
      : {}),
  };
}

/** Whether rules of the live role stay because the apply omits rules. An apply that sends all rules of the manifest replaces the list. */
function keepsRules(manifest: Granting, ignoreFields: readonly IgnoreFields[]): boolean {
  if (!manifest.rules) return true;
  try {
    const sent: Granting = withoutPaths(manifest, ignoredPaths(ignoreFields));
    return !deepEqual(sent.rules, manifest.rules);
  } catch {
    return true; // A path that cannot be parsed. The strategy reports it and writes nothing.
  }
}
