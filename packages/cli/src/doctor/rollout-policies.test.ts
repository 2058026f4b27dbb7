import {
  type ClusterManagementAddOn,
  type ClusterRole,
  type ClusterRoleBinding,
  type ManagedCluster,
  type Placement,
  type PolicyAnalysis,
  type PolicyWindow,
  type RolloutApproval,
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
  {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ClusterManagementAddOn',
    metadata: { name: 'metrics' },
    spec: { installStrategy: { type: 'Placements', placements: [{ namespace: 'default', name: 'all' }] } },
  },
];
const clusters: readonly ManagedCluster[] = [
  {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name: 'c1', labels: { region: 'eu' } },
    spec: {},
  },
  {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name: 'c2', labels: { region: 'eu' }, annotations: { 'example.com/zone': 'Nowhere/Land' } },
    spec: {},
  },
  {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name: 'c3', labels: { region: 'eu' }, annotations: { 'example.com/zone': 'America/New_York' } },
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
const analysis: PolicyAnalysis = {
  name: 'errors',
  provider: 'prometheus',
  query: 'sum(errors{addon="{{ADDON}}"})',
  interval: '1m',
  count: 2,
  success: 'result < 1.0',
};
/** A window whose time zone depends on the cluster. */
const zoned: PolicyWindow = {
  name: 'nights',
  effect: 'Deny',
  schedule: '0 22 * * *',
  duration: '2h',
  timeZone: 'Europe/Berlin',
  timeZoneFrom: { annotation: 'example.com/zone' },
};
const override = (expires: string, name: string): RolloutApproval => ({
  apiVersion: 'outrigger.dev/v1alpha1',
  kind: 'RolloutApproval',
  metadata: { name },
  spec: { addOn: 'metrics', entry: 'default/all', revision: 1, gate: 'p/w', decision: 'Overridden', by: 'alice', comment: 'c', expires },
});
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
      'metrics: p/nights and p/dark never open for Upgrade of c1, c2, c3',
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
      'never open for Upgrade of c1, c2, c3',
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
    ['a policy that governs no add-on', { policies: [policy({ addOns: { names: ['nope'] } })] }, 'warning', 'p governs no add-on'],
    [
      'RollBack under strategy All without an analysis',
      { policies: [policy({ onFailure: { action: 'RollBack' } })] },
      'warning',
      'metrics default/all never goes back by itself: strategy All counts no failures',
    ],
    [
      'RollBack under strategy All with an analysis that only observes',
      { policies: [policy({ onFailure: { action: 'RollBack' }, analysis: [{ ...analysis, mode: 'Observe' }] })] },
      'warning',
      'metrics default/all never goes back by itself',
    ],
    [
      'RollBack under strategy All with an analysis',
      { policies: [policy({ onFailure: { action: 'RollBack' }, analysis: [analysis] })] },
      'ok',
      '1 in force',
    ],
    [
      'a query without variables',
      { policies: [policy({ analysis: [{ ...analysis, query: 'up' }] })] },
      'warning',
      'the query of p/errors has none of {{ADDON}}, {{REVISION}} and {{ENTRY}}',
    ],
    [
      'a provider that the manager does not have',
      { policies: [policy({ analysis: [analysis] })], manager: { providers: ['other'], urls: [] } },
      'problem',
      'p/errors measures with prometheus, which no --metrics-provider of the manager defines',
    ],
    [
      'an address that the manager does not have',
      { policies: [policy({ notify: [{ url: 'chat' }] })], manager: { providers: [], urls: ['pager'] } },
      'problem',
      'p notifies chat, which no --notify-url of the manager defines',
    ],
    [
      'providers and addresses that the manager has',
      {
        policies: [policy({ analysis: [analysis], notify: [{ url: 'chat' }] })],
        manager: { providers: ['prometheus'], urls: ['chat'] },
      },
      'ok',
      '1 in force',
    ],
    [
      'a manager that is not known',
      { policies: [policy({ analysis: [analysis], notify: [{ url: 'chat' }] })], manager: undefined },
      'ok',
      '1 in force',
    ],
    [
      'a cluster without a known time zone',
      { policies: [policy({ windows: [zoned] })] },
      'warning',
      'p/nights: the annotation example.com/zone names no known time zone for 2 clusters; Europe/Berlin applies',
    ],
    [
      'an override that has expired',
      { policies: [policy({})], decisions: [override('2026-11-16T11:00:00Z', 'old'), override('2026-11-16T13:00:00Z', 'new')] },
      'warning',
      '1 override has expired: old; `kubectl delete rolloutapproval old`',
    ],
    ['an override in force', { policies: [policy({})], decisions: [override('2026-11-16T13:00:00Z', 'new')] }, 'ok', '1 in force'],
    [
      'roles that may not be read',
      { policies: [policy({ approvals })], roles: undefined, bindings: undefined, admission: undefined },
      'ok',
      '1 in force',
    ],
  ])('%s', (_, change, state, text) => {
    const findings = rolloutPolicies({ ...well, ...change }, { managementAddOns, clusters, nowMs: NOW });
    expect(findings).toMatchObject([{ state, text: expect.stringContaining(text) as string }]);
  });

  it('problems do not hide warnings', () => {
    const policies = [policy({ ...never, approvals: [{ name: 'go', before: 'Group', groups: [{ groupName: 'staging' }] }] })];
    expect(rolloutPolicies({ ...well, policies, roles: [role], bindings: [] }, { managementAddOns, clusters, nowMs: NOW })).toMatchObject([
      { state: 'problem', text: expect.stringContaining('never open for Upgrade') as string },
      {
        state: 'warning',
        text: expect.stringMatching(/no user but administrators may approve p.*group staging, which no Placement has/) as string,
      },
    ]);
  });

  it('a single window that never opens is named in the singular', () => {
    const policies = [policy({ windows: [{ name: 'dark', effect: 'Deny', schedule: '* * * * *', duration: '4h' }] })];
    const [finding] = rolloutPolicies({ ...well, policies }, { managementAddOns, clusters, nowMs: NOW });
    expect(finding?.text).toContain('metrics: p/dark never opens for Upgrade of c1, c2, c3');
  });
});
