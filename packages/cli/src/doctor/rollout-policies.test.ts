import {
  type ClusterManagementAddOn,
  type ClusterRole,
  type ClusterRoleBinding,
  type ManagedCluster,
  type Placement,
  type PolicyWindow,
  type RolloutPolicy,
  decisionPolicies,
} from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { type PolicyObjects, rolloutPolicies } from './rollout-policies.js';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const RBAC = 'rbac.authorization.k8s.io';

function policy(spec: Partial<RolloutPolicy['spec']>, name = 'p'): RolloutPolicy {
  return { apiVersion: 'outrigger.dev/v1alpha1', kind: 'RolloutPolicy', metadata: { name }, spec: { addOns: { selector: {} }, ...spec } };
}
const managementAddOns: readonly ClusterManagementAddOn[] = [
  { apiVersion: 'addon.open-cluster-management.io/v1alpha1', kind: 'ClusterManagementAddOn', metadata: { name: 'metrics' }, spec: {} },
];
const clusters: readonly ManagedCluster[] = [
  {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name: 'c1', labels: { region: 'eu' } },
    spec: {},
  },
];
const placement: Placement = {
  apiVersion: 'cluster.open-cluster-management.io/v1beta1',
  kind: 'Placement',
  metadata: { name: 'all', namespace: 'default' },
  spec: {},
  status: { decisionGroups: [{ decisionGroupIndex: 0, decisionGroupName: 'production', decisions: [], clusterCount: 1 }] },
};
const role: ClusterRole = {
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRole',
  metadata: { name: 'approvers' },
  rules: [{ apiGroups: ['outrigger.dev'], resources: ['rolloutpolicies'], verbs: ['approve'], resourceNames: ['p'] }],
};
const binding: ClusterRoleBinding = {
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name: 'approvers' },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'approvers' },
  subjects: [{ apiGroup: RBAC, kind: 'User', name: 'alice' }],
};
const shipped = decisionPolicies();
const well: PolicyObjects = {
  policies: [],
  placements: [placement],
  admission: {
    policies: shipped.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy'),
    bindings: shipped.filter(({ kind }) => kind === 'ValidatingAdmissionPolicyBinding'),
  },
  roles: [role],
  bindings: [binding],
};
const approvals = [{ name: 'go', before: 'Rollout' as const }];
const never = {
  windows: [
    { name: 'nights', effect: 'Allow' as const, schedule: '0 22 * * *', duration: '2h' },
    { name: 'dark', effect: 'Deny' as const, schedule: '0 21 * * *', duration: '4h' },
  ],
};

describe('the check of rollout policies', () => {
  it.each<[string, Partial<PolicyObjects>, string, string]>([
    ['no policies', {}, 'ok', 'none'],
    ['approvals that count', { policies: [policy({ approvals })] }, 'ok', '1 in force'],
    [
      'a policy that cannot be read',
      { policies: [policy({ windows: [{ name: 'w', effect: 'Deny', schedule: '0 0 31 6 *', duration: '1h' }] })] },
      'problem',
      'p cannot be read',
    ],
    [
      'approvals that nothing checks',
      { policies: [policy({ approvals })], admission: { policies: [], bindings: [] } },
      'problem',
      'approvals do not count: the ValidatingAdmissionPolicy',
    ],
    [
      'gates that open by themselves need no check',
      { policies: [policy({ approvals: [{ name: 'go', before: 'Rollout', wait: '1h' }] })], admission: { policies: [], bindings: [] } },
      'ok',
      '1 in force',
    ],
    [
      'windows that exclude each other',
      { policies: [policy(never)] },
      'problem',
      'metrics: p/nights and p/dark never open for Upgrade of c1',
    ],
    [
      'windows of two policies that exclude each other',
      {
        policies: [
          policy({ windows: [never.windows[0] as PolicyWindow] }, 'a'),
          policy({ windows: [never.windows[1] as PolicyWindow] }, 'b'),
        ],
      },
      'problem',
      'never open for Upgrade of c1',
    ],
    [
      'windows about other clusters',
      { policies: [policy({ windows: never.windows.map((one) => ({ ...one, clusters: { matchLabels: { region: 'us' } } })) })] },
      'ok',
      '1 in force',
    ],
    [
      'a group that does not exist',
      { policies: [policy({ approvals: [{ name: 'go', before: 'Group', groups: [{ groupName: 'staging' }] }] })] },
      'warning',
      'p/go is about group staging, which no Placement has',
    ],
    [
      'groups that exist',
      {
        policies: [
          policy({
            approvals: [{ name: 'go', before: 'Group', groups: [{ groupName: 'rest' }, { groupIndex: 0 }, { groupName: 'production' }] }],
          }),
        ],
      },
      'ok',
      '1 in force',
    ],
    ['no approver', { policies: [policy({ approvals })], bindings: [] }, 'warning', 'no user but administrators may approve p'],
    ['an approver of another policy', { policies: [policy({ approvals }, 'q')] }, 'warning', 'no user but administrators may approve q'],
    [
      'roles that may not be read',
      { policies: [policy({ approvals })], roles: undefined, bindings: undefined, admission: undefined },
      'ok',
      '1 in force',
    ],
  ])('%s', (_, change, state, text) => {
    const finding = rolloutPolicies({ ...well, ...change }, { managementAddOns, clusters, nowMs: NOW });
    expect(finding).toMatchObject({ state, text: expect.stringContaining(text) as string });
  });
});
