import { compileLabelSelector, type JsonObject, type KubeObject } from '@outrigger/core';
import type { PolicyRule, Role } from '../authz/policy.js';
import { everyEntry } from '../every-entry.js';
import { storagePrefix } from '../store/key.js';
import type { ControllerContext, RunningController } from './contract.js';
import { follow, lookUp } from './follow.js';
import { clusterRoles } from './kinds.js';
import { Worker } from './worker.js';

/** Fills ClusterRoles that have an aggregation rule with the rules of the ClusterRoles it selects. */
export function startRoleAggregation(context: ControllerContext): RunningController {
  const { runtime, store, api } = context;
  const aggregating = new Set<string>();
  const worker = new Worker(runtime, 'role-aggregation', async (name) => {
    const role = lookUp<Role>(store, clusterRoles, name);
    if (!role || !aggregates(role)) return undefined;
    const rules = aggregatedRules(role, everyRole(context));
    if (JSON.stringify(rules) === JSON.stringify(role.rules ?? [])) return undefined;
    const { resourceVersion } = role.metadata;
    await api.mergePatch(clusterRoles, { name }, { metadata: { resourceVersion }, rules: rules as unknown as JsonObject[] });
    return undefined;
  });
  const unfollow = follow(store, clusterRoles, (role, { metadata: { name = '' } }) => {
    if (role && aggregates(role)) aggregating.add(name);
    else aggregating.delete(name);
    for (const target of aggregating) worker.add(target);
  });
  worker.start();
  return {
    stop: () => {
      unfollow();
      return worker.stop();
    },
  };
}

/** The selected roles' rules, by role name, each distinct rule once. A role never selects itself. */
export function aggregatedRules(role: Role, roles: readonly Role[]): PolicyRule[] {
  const rules = new Map<string, PolicyRule>();
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const wanted = compileLabelSelector(selector);
    const selected = roles.filter(({ metadata }) => metadata.name !== role.metadata.name && wanted.matches(metadata.labels));
    for (const { rules: own } of selected.sort(byName)) for (const rule of own ?? []) rules.set(JSON.stringify(rule), rule);
  }
  return [...rules.values()];
}

function everyRole({ store }: ControllerContext): Role[] {
  return [...everyEntry(store, storagePrefix(clusterRoles))].map(({ object }) => object as Role);
}

function aggregates(role: Role): boolean {
  return (role.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

function byName(a: KubeObject, b: KubeObject): number {
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}
