import type { AddOnRollout, AddOnTemplate, ClusterManagementAddOn, ManagedCluster, ManagedClusterAddOn } from '@outrigger/api';
import { projectTemplate } from '@outrigger/rules/observed';
import type { StrategyLookups } from '@outrigger/rules/strategy';
import { describe, expect, it } from 'vitest';
import { type RenderInput, renderRevision } from './render-revision.js';

const GROUP = 'addon.open-cluster-management.io';
const API = { apiVersion: `${GROUP}/v1alpha1` } as const;
const VERSION_LABEL = 'open-cluster-management.io/addon-version';

const template = (version: string): AddOnTemplate => ({
  ...API,
  kind: 'AddOnTemplate',
  metadata: { name: `hello-${version}`, labels: { [VERSION_LABEL]: version } },
  spec: {
    addonName: 'hello',
    agentSpec: {
      workload: {
        manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hello', namespace: 'default' }, data: { version } }],
      },
    },
  },
});
const templates = [template('v1'), template('v2')];
const managementAddOn: ClusterManagementAddOn = {
  ...API,
  kind: 'ClusterManagementAddOn',
  metadata: { name: 'hello' },
  spec: { supportedConfigs: [{ group: GROUP, resource: 'addontemplates', defaultConfig: { name: 'hello-v2' } }] },
};
const clusterAddOn: ManagedClusterAddOn = {
  ...API,
  kind: 'ManagedClusterAddOn',
  metadata: { name: 'hello', namespace: 'c1', annotations: { 'outrigger.dev/revision': '2' } },
  spec: {},
};
const cluster: ManagedCluster = {
  apiVersion: 'cluster.open-cluster-management.io/v1',
  kind: 'ManagedCluster',
  metadata: { name: 'c1' },
  spec: { hubAcceptsClient: true },
};
const history = templates.map((one, i) => ({
  revision: i + 1,
  digest: `digest-${i}`,
  version: one.metadata.labels?.[VERSION_LABEL] ?? '',
  renderer: 2,
  configs: [
    { group: GROUP, resource: 'addontemplates', name: one.metadata.name ?? '', specHash: projectTemplate(one, (value) => value).specHash },
  ],
}));
const rollout = (status: Partial<AddOnRollout['status']>): AddOnRollout => ({
  apiVersion: 'outrigger.dev/v1alpha1',
  kind: 'AddOnRollout',
  metadata: { name: 'hello' },
  spec: {},
  status: { history, entries: [{ name: 'default', targetRevision: 2 }], ...status },
});
const lookups = { cluster: () => undefined, pages: () => [], pagesWith: () => [], placement: () => undefined, clusters: () => [] };

const INPUT = {
  managementAddOn,
  rollout: rollout({}),
  clusterAddOn,
  cluster,
  lookups: lookups as StrategyLookups,
  templates,
  configs: [],
  contents: new Map(),
};

describe('a revision is rendered as it is stored, whatever the rollout admits now', () => {
  it.each<[string, Partial<AddOnRollout['status']>]>([
    ['without a policy', {}],
    ['under a policy', { policies: ['p'] }],
    ['held by a gate', { entries: [{ name: 'default', targetRevision: 2, waitingFor: [{ kind: 'Window', name: 'p/w' }] }] }],
  ])('%s', (_, status) => {
    const versions = [1, 2].map((revision) => {
      const rendered = renderRevision({ ...INPUT, rollout: rollout(status) }, revision);
      return rendered.type === 'rendered' ? rendered.manifests.map(({ data }) => data) : rendered.message;
    });
    expect(versions).toEqual([[{ version: 'v1' }], [{ version: 'v2' }]]);
  });
});

it.each<[string, Partial<RenderInput>, string]>([
  [
    'its cluster is being deleted',
    { cluster: { ...cluster, metadata: { name: 'c1', deletionTimestamp: '2026-01-01T00:00:00Z' } } },
    'cluster c1 is being deleted, so it gets no other content',
  ],
  [
    'a user requests a version that does not exist',
    { clusterAddOn: { ...clusterAddOn, spec: { installVersion: 'v9' } } },
    'could not install invalid version v9',
  ],
  ['its content was collected', { templates: [] }, 'the content of revision 1 is not stored any more'],
])('a revision that is not rendered because %s has that reason', (_, input, message) => {
  expect(renderRevision({ ...INPUT, ...input }, 1)).toEqual({ type: 'problem', message });
});
