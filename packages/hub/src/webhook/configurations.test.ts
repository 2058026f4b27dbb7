import { type AdmissionLookup, type AdmissionSettings, isClusterIdentity, review } from '@outrigger/api';
import { type AdmissionRequest, CostPool, type KubeObject } from '@outrigger/core';
import { compileExpression } from '@outrigger/core/cel';
import { describe, expect, it } from 'vitest';
import { rightsExpression, validatingConfiguration } from './configurations.js';

const ADDON = 'addon.open-cluster-management.io';
const CLUSTER = 'cluster.open-cluster-management.io';
const SET = `${CLUSTER}/clusterset`;
const TEMPLATE = { group: ADDON, resource: 'addontemplates', name: 't' };
const CONFIG = { group: '', resource: 'configmaps', namespace: 'n', name: 'c' };
const executor = (name: string): object => ({
  executor: { subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'runners', name } } },
});
const manifests = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } }];
const work = (more: object): object => ({ spec: { workload: { manifests }, ...more } });
const cluster = (labels: object | undefined, spec: object): object => ({ metadata: labels ? { labels } : {}, spec });

/** A kind, and several states of one object of this kind. */
interface Variants {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly states: readonly object[];
}

const placements = (more: object): object => ({
  spec: { installStrategy: { type: 'Placements', placements: [{ name: 'p', namespace: 'n', ...more }] } },
});

const VARIANTS: readonly Variants[] = [
  {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    resource: 'manifestworks',
    states: [work({}), work(executor('a')), work(executor('b')), { spec: {} }],
  },
  ...['v1alpha1', 'v1beta1'].flatMap((version): readonly Variants[] => [
    {
      apiVersion: `${ADDON}/${version}`,
      kind: 'ManagedClusterAddOn',
      resource: 'managedclusteraddons',
      states: [{ spec: {} }, { spec: { configs: [CONFIG] } }, { spec: { configs: [TEMPLATE] } }, { spec: { configs: [CONFIG, TEMPLATE] } }],
    },
    {
      apiVersion: `${ADDON}/${version}`,
      kind: 'ClusterManagementAddOn',
      resource: 'clustermanagementaddons',
      states: [
        { spec: {} },
        placements({}),
        placements({ configs: [CONFIG] }),
        placements({ addonTemplate: { configs: [TEMPLATE] } }),
        { spec: { installStrategy: { type: 'ClusterLabelSelector', labelSelector: {}, configs: [CONFIG] } } },
        version === 'v1alpha1'
          ? { spec: { supportedConfigs: [{ group: ADDON, resource: 'addontemplates', defaultConfig: { name: 't' } }] } }
          : { spec: { defaultConfigs: [TEMPLATE] } },
      ],
    },
  ]),
  {
    apiVersion: `${CLUSTER}/v1`,
    kind: 'ManagedCluster',
    resource: 'managedclusters',
    states: [undefined, { [SET]: '' }, { [SET]: 'default' }, { [SET]: 'a' }, { [SET]: 'b' }, { other: 'x' }].flatMap((labels) =>
      [{}, { hubAcceptsClient: false }, { hubAcceptsClient: true }].map((spec) => cluster(labels, spec)),
    ),
  },
  {
    apiVersion: `${CLUSTER}/v1beta2`,
    kind: 'ManagedClusterSetBinding',
    resource: 'managedclustersetbindings',
    states: [{ spec: { clusterSet: 'x' } }, { spec: { clusterSet: 'b' } }],
  },
];

const LOOKUP: AdmissionLookup = {
  addOn: () => undefined,
  addOns: () => [],
  template: () => undefined,
  templatesOf: () => [],
  templateUsers: () => [],
  publishedConfigs: () => [],
  deploymentConfig: () => undefined,
  deploymentConfigUsers: () => [],
  installations: () => 0,
  addOnsOn: () => [],
  isTerminating: () => false,
};

function requestOf({ apiVersion, kind, resource }: Variants, object: object, old: object | undefined): AdmissionRequest {
  const [group = '', version = ''] = apiVersion.split('/');
  const whole = (state: object): KubeObject => {
    const { metadata, ...rest } = state as { readonly metadata?: object };
    return { apiVersion, kind, ...rest, metadata: { name: 'x', namespace: 'n', ...metadata } };
  };
  return {
    kind: { group, version, kind },
    resource: { group, version, resource },
    operation: old ? 'UPDATE' : 'CREATE',
    object: whole(object),
    ...(old ? { oldObject: whole(old) } : {}),
    userInfo: { username: 'writer', groups: ['system:authenticated'] },
  } as unknown as AdmissionRequest;
}

function holds(expression: string, request: AdmissionRequest): boolean {
  const variables = { object: 'dyn', oldObject: 'dyn', request: 'dyn' } as const;
  const { object, oldObject } = request;
  return (
    compileExpression(expression, { variables }).evaluate({ object, oldObject: oldObject ?? null, request }, new CostPool(1e6)) === true
  );
}

describe('writes that wait for the webhook', () => {
  const settings: AdmissionSettings = { managerNamespace: 'manager', trustedUsers: ['manager'], checkMissingExecutor: false };

  it.each([false, true])('AT-17 are all that need a right of their writer (checkMissingExecutor %s)', (checkMissingExecutor) => {
    const expression = rightsExpression({ trustedUsers: ['manager'], checkMissingExecutor });
    const counts = { needing: 0, free: 0 };
    for (const variants of VARIANTS)
      for (const object of variants.states)
        for (const old of [undefined, ...variants.states]) {
          const request = requestOf(variants, object, old);
          const result = review(request, LOOKUP, { ...settings, checkMissingExecutor });
          const needsRight = result.allowed && (result.requires ?? []).length > 0;
          const waits = holds(expression, request);
          if (needsRight) expect({ waits, request }).toMatchObject({ waits: true });
          counts[waits ? 'needing' : 'free'] += 1;
        }
    expect(counts.needing).toBeGreaterThan(100);
    expect(counts.free).toBeGreaterThan(100);
  });

  it('AT-17 include every write of a ManagedCluster by an identity that clusters join with, also one named by flags', () => {
    const flags = { bootstrapUsers: ['edge-joiner'], bootstrapGroups: ['edge-joiners'] };
    const endpoint = { url: 'https://127.0.0.1', caBundle: 'x' };
    const { webhooks } = validatingConfiguration(endpoint, flags) as { readonly webhooks: readonly Webhook[] };
    const agents = webhooks.find(({ name }) => name.startsWith('agents.'));
    const users = [
      { username: 'edge-joiner' },
      { username: 'x', groups: ['edge-joiners'] },
      { username: 'system:open-cluster-management:c1:a1' },
      { username: 'x', groups: ['system:bootstrappers:any'] },
      { username: 'system:serviceaccount:outrigger-join:c1', groups: ['system:serviceaccounts:outrigger-join'] },
      { username: 'person', groups: ['system:authenticated'] },
    ];
    expect(agents?.failurePolicy).toBe('Fail');
    for (const userInfo of users) {
      const request = { userInfo } as unknown as AdmissionRequest;
      const waits = (agents?.matchConditions ?? []).every(({ expression }) => holds(expression, request));
      expect({ userInfo, waits }).toEqual({ userInfo, waits: isClusterIdentity(userInfo, flags) });
    }
  });
});

interface Webhook {
  readonly name: string;
  readonly failurePolicy: string;
  readonly matchConditions?: readonly { readonly expression: string }[];
}
