import { compileLabelSelector, type KubeObject, type Selector } from '@outrigger/core';
import type { PolicyRule, Role } from './policy.js';

/** Returns the distinct rules of the selected roles, ordered by role name. A role never selects itself. */
export function aggregatedRules(role: Role, roles: readonly Role[]): PolicyRule[] {
  const rules = new Map<string, PolicyRule>();
  for (const wanted of selectorsOf(role)) {
    const selected = roles.filter(({ metadata }) => metadata.name !== role.metadata.name && wanted.matches(metadata.labels));
    for (const { rules: own } of selected.sort(byName)) for (const rule of own ?? []) rules.set(JSON.stringify(rule), rule);
  }
  return [...rules.values()];
}

/** Returns the selectors of an aggregated role. Throws if a selector is invalid. */
export function selectorsOf(role: Role): Selector[] {
  return (role.aggregationRule?.clusterRoleSelectors ?? []).map((selector) => compileLabelSelector(selector));
}

export function aggregates(role: Role): boolean {
  return (role.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

function byName(a: KubeObject, b: KubeObject): number {
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}
