import type { PolicyRule } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';

/** Builds a ClusterRole. It has its own file, because commands that only name roles must not load the hub's code. */
export function clusterRole(name: string, rules: readonly PolicyRule[], aggregationRule?: object): KubeObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    rules,
    ...(aggregationRule ? { aggregationRule } : {}),
  } as KubeObject;
}
