import { type ClusterManagementAddOn, type RolloutPolicy, clusterManagementAddOns, managedClusters, rolloutPolicies } from '@outrigger/api';
import { type Kind, type KubeObject, apiVersionOf } from '@outrigger/core';
import { viewOf } from '@outrigger/kube/testing';
import { type ClusterProjection, projectCluster } from '@outrigger/rules/observed';
import { describe, expect, it } from 'vitest';
import { declarations } from '../../resources/declarations.js';
import { decisions, placements } from '../../resources/placements.js';
import { policies } from '../../resources/rollout-policies.js';
import { clusters } from '../../resources/clusters.js';
import { wakeByCluster } from './wake.js';

const object = <T extends KubeObject>(kind: Kind<T>, name: string, rest: object): T =>
  ({ apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name, uid: name }, ...rest }) as unknown as T;
const declared = (name: string, installStrategy: object): ClusterManagementAddOn =>
  object(clusterManagementAddOns, name, { spec: { installStrategy } });
const byPlacement = { type: 'Placements', placements: [{ namespace: 'default', name: 'all' }] };
const window = { name: 'night', effect: 'Allow', schedule: '0 1 * * *', duration: '2h', clusters: { matchLabels: { site: 'shop' } } };
const policy: RolloutPolicy = object(rolloutPolicies, 'nights', {
  spec: { addOns: { names: ['governed', 'governed-by-hand'] }, windows: [window] },
});
const approvals: RolloutPolicy = object(rolloutPolicies, 'approvals', {
  spec: { addOns: { names: ['approved-by-hand'] }, approvals: [{ name: 'go', before: 'Rollout' }] },
});

const view = viewOf(
  [
    declarations,
    [
      declared('governed', byPlacement),
      declared('by-hand', { type: 'Manual' }),
      declared('governed-by-hand', { type: 'Manual' }),
      declared('approved-by-hand', { type: 'Manual' }),
      declared('free', byPlacement),
      declared('selecting', { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { tier: 'edge' } } }),
    ],
  ],
  [policies, [policy, approvals]],
  [clusters, []],
  [placements, []],
  [decisions, []],
);
const cluster = (labels: Record<string, string>, isAccepted: boolean = true, annotations: Record<string, string> = {}): ClusterProjection =>
  projectCluster(
    { ...object(managedClusters, 'c1', { spec: { hubAcceptsClient: isAccepted } }), metadata: { name: 'c1', labels, annotations } },
    (value) => value,
  );
const all = ['approved-by-hand', 'free', 'governed', 'governed-by-hand', 'selecting'];

describe('fleet: which declarations a ManagedCluster wakes', () => {
  const feature = 'feature.open-cluster-management.io/addon-free';
  it.each<{ name: string; before?: ClusterProjection; after?: ClusterProjection; want: readonly string[] }>([
    {
      name: 'a label that lists the health of an add-on',
      before: cluster({ [feature]: 'unhealthy' }),
      after: cluster({ [feature]: 'available' }),
      want: [],
    },
    { name: 'a label by which a strategy selects it', before: cluster({}), after: cluster({ tier: 'edge' }), want: ['selecting'] },
    { name: 'the end of such a label', before: cluster({ tier: 'edge' }), after: cluster({}), want: ['selecting'] },
    {
      name: 'a label by which a window of a policy selects it',
      before: cluster({}),
      after: cluster({ site: 'shop' }),
      want: ['governed', 'governed-by-hand'],
    },
    {
      name: 'its time zone, in which windows open',
      before: cluster({}),
      after: cluster({}, true, { 'example.com/zone': 'Europe/Berlin' }),
      want: all,
    },
    { name: 'an acceptance', before: cluster({}, false), after: cluster({}), want: all },
    { name: 'its creation', after: cluster({}), want: all },
    { name: 'its deletion', before: cluster({}), want: all },
  ])('$name wakes $want', ({ before, after, want }) => {
    const woken = wakeByCluster({ before, after }, view).map(({ name }) => name);
    expect(woken.sort()).toEqual(want);
  });
});
