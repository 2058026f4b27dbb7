import { type AddOnTemplate, grantedRoles } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';

/** Matches roles that every hub has, by name or by the prefix of Kubernetes' and Outrigger's own roles. */
const ALWAYS_THERE = /^(view|edit|admin|cluster-admin|system:.*|outrigger:.*|open-cluster-management:.*)$/;

/** Returns one message for each role that a template grants and that neither the files nor `known` contain. */
export function missingRoles(
  { spec }: AddOnTemplate,
  byName: ReadonlyMap<string, readonly KubeObject[]>,
  known: readonly string[],
): readonly string[] {
  return grantedRoles(spec.registration ?? [])
    .filter(({ name }) => !ALWAYS_THERE.test(name) && !known.includes(name))
    .filter((role) => !byName.get(role.name)?.some(({ kind, metadata }) => kind === role.kind && isIn(metadata.namespace, role)))
    .map(
      ({ path, kind, name, namespace }) =>
        `${path}: there is no ${kind} ${kind === 'Role' && namespace !== undefined ? `${namespace}/` : ''}${name} in these files; add it to them, or name it with --roles if the hub has it`,
    );
}

function isIn(namespace: string | undefined, role: { readonly kind: string; readonly namespace: string | undefined }): boolean {
  return role.kind === 'ClusterRole' || role.namespace === undefined || namespace === role.namespace;
}
