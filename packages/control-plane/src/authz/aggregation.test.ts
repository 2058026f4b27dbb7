import { describe, expect, it } from 'vitest';
import { aggregatedRules } from './aggregation.js';
import { bootstrapRoles } from './bootstrap-policy.js';
import type { PolicyRule, Role } from './policy.js';

const rule = (resource: string): PolicyRule => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });
const role = (name: string, labels: Record<string, string>, rules: PolicyRule[]): Role => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name, labels },
  rules,
});
const target: Role = {
  ...role('target', { to: 'target' }, [rule('stale')]),
  aggregationRule: {
    clusterRoleSelectors: [{ matchLabels: { to: 'target' } }, { matchExpressions: [{ key: 'also', operator: 'Exists' }] }],
  },
};

describe('aggregated rules', () => {
  it('are the distinct rules of the selected roles, by name, without those of the role itself', () => {
    const roles = [
      role('b', { to: 'target' }, [rule('pods'), rule('secrets')]),
      role('a', { to: 'target' }, [rule('configmaps')]),
      role('c', { also: '' }, [rule('pods'), rule('nodes')]),
      role('d', { to: 'elsewhere' }, [rule('leases')]),
      target,
    ];
    expect(aggregatedRules(target, roles).map(({ resources }) => resources?.[0])).toEqual(['configmaps', 'pods', 'secrets', 'nodes']);
  });

  it('are empty if no role is selected', () => {
    expect(aggregatedRules(target, [role('d', { to: 'elsewhere' }, [rule('leases')]), target])).toEqual([]);
  });

  it('of the default roles exist from the start, as the controller would compute them', () => {
    const roles = bootstrapRoles();
    for (const one of roles.filter(({ aggregationRule }) => aggregationRule)) expect(one.rules).toEqual(aggregatedRules(one, roles));
  });
});
