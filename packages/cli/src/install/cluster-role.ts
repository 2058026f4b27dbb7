import { type PolicyRule, aggregationLabel } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';

// These functions have their own file, because commands that only name roles must not load the hub's code.

const TYPE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' } as const;

export function clusterRole(name: string, rules: readonly PolicyRule[]): KubeObject {
  return { ...TYPE, metadata: { name }, rules } as KubeObject;
}

/**
 * Returns a ClusterRole that aggregates the roles with its label. It omits `rules`, because the aggregation controller owns this field:
 * a repeated install would clear it, and a repeated `kubectl apply --server-side` would conflict.
 */
export function aggregatedRole(name: string): KubeObject {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { [aggregationLabel(name)]: 'true' } }] };
  return { ...TYPE, metadata: { name }, aggregationRule } as KubeObject;
}
