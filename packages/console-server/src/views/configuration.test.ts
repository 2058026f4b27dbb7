import type { ClusterManagementAddOn, ManagedClusterAddOn } from '@outrigger/api';
import { snapshotLookups } from '@outrigger/rules/why';
import { describe, expect, it } from 'vitest';
import { configurationLayers } from './configuration.js';

const GROUP = 'addon.open-cluster-management.io';
const config = (name: string) => ({ group: GROUP, resource: 'addondeploymentconfigs', namespace: 'default', name });

function declaration(entryConfigs: readonly string[], templateConfigs: readonly string[]): ClusterManagementAddOn {
  return {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'ClusterManagementAddOn',
    metadata: { name: 'hello' },
    spec: {
      supportedConfigs: [
        { group: GROUP, resource: 'addontemplates', defaultConfig: { name: 'hello-v1' } },
        { group: GROUP, resource: 'addondeploymentconfigs', defaultConfig: { namespace: 'default', name: 'for-all' } },
      ],
      installStrategy: {
        type: 'Placements',
        placements: [
          { namespace: 'default', name: 'eu', configs: entryConfigs.map(config), addonTemplate: { configs: templateConfigs.map(config) } },
        ],
      },
    },
  };
}

const owned: ManagedClusterAddOn = {
  apiVersion: `${GROUP}/v1alpha1`,
  kind: 'ManagedClusterAddOn',
  metadata: {
    name: 'hello',
    namespace: 'cluster1',
    managedFields: [{ manager: 'kubectl', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': { 'f:configs': {} } } }],
  },
  spec: { configs: [config('own')] },
};

const handMade: ManagedClusterAddOn = { ...owned, spec: {} };

const lookups = snapshotLookups({
  clusters: [],
  placements: [
    {
      apiVersion: 'cluster.open-cluster-management.io/v1beta1',
      kind: 'Placement',
      metadata: { namespace: 'default', name: 'eu' },
      spec: {},
      status: { numberOfSelectedClusters: 1 },
    },
  ],
  decisions: [
    {
      apiVersion: 'cluster.open-cluster-management.io/v1beta1',
      kind: 'PlacementDecision',
      metadata: { namespace: 'default', name: 'eu-1', labels: { 'cluster.open-cluster-management.io/placement': 'eu' } },
      status: { decisions: [{ clusterName: 'cluster1', reason: '' }] },
    },
  ],
});

describe('the configuration of an add-on by layer', () => {
  it.each([
    ['only defaults', { entry: [] }, ['hello-v1', 'for-all'], []],
    ['an entry that replaces a default', { entry: ['for-eu'] }, ['hello-v1', 'for-eu'], ['for-all']],
    ['an entry with two configs of a kind', { entry: ['for-eu', 'second'] }, ['hello-v1', 'for-eu'], ['for-all', 'second']],
    ['a cluster that replaces an entry', { entry: ['for-eu'], installed: owned }, ['hello-v1', 'own'], ['for-all', 'for-eu']],
    [
      'a cluster of an entry whose addonTemplate names a config',
      { entry: ['for-eu'], template: ['made'] },
      ['hello-v1', 'made'],
      ['for-all'],
    ],
    [
      'an add-on that a user created, which the addonTemplate is not for',
      { entry: ['for-eu'], template: ['made'], installed: handMade },
      ['hello-v1', 'for-eu'],
      ['for-all'],
    ],
  ] as const)('%s', (_, given, inForce, replaced) => {
    const {
      entry,
      template = [],
      installed,
    } = { installed: undefined, ...given } as {
      entry: readonly string[];
      template?: readonly string[];
      installed: ManagedClusterAddOn | undefined;
    };
    const place = installed === undefined ? {} : { place: { cluster: 'cluster1', installed, lookups, record: undefined } };
    const configs = configurationLayers({ managementAddOn: declaration(entry, template), ...place }).flatMap((layer) => layer.configs);
    const names = (wanted: boolean): readonly string[] =>
      configs.filter(({ isInForce }) => isInForce === wanted).map(({ object }) => object.name);
    expect(names(true)).toEqual(inForce);
    expect(names(false)).toEqual(replaced);
  });

  it('is only what a user set on the cluster, if the declaration may not be read', () => {
    const layers = (installed: ManagedClusterAddOn) =>
      configurationLayers({ managementAddOn: undefined, place: { cluster: 'cluster1', installed, lookups, record: undefined } });
    expect(layers(owned)).toMatchObject([{ layer: 'cluster', of: 'cluster1', configs: [{ object: { name: 'own' }, isInForce: true }] }]);
    expect(layers(handMade)).toEqual([]);
  });
});
