import type { ClusterManagementAddOn, ManagedClusterAddOn } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { configurationLayers } from './configuration.js';

const GROUP = 'addon.open-cluster-management.io';
const config = (name: string) => ({ group: GROUP, resource: 'addondeploymentconfigs', namespace: 'default', name });

function declaration(entryConfigs: readonly string[]): ClusterManagementAddOn {
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
        placements: [{ namespace: 'default', name: 'eu', configs: entryConfigs.map(config) }],
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

describe('the configuration of an add-on by layer', () => {
  it.each([
    ['only defaults', [], undefined, ['hello-v1', 'for-all'], []],
    ['an entry that replaces a default', ['for-eu'], undefined, ['hello-v1', 'for-eu'], ['for-all']],
    ['a cluster that replaces an entry', ['for-eu'], owned, ['hello-v1', 'own'], ['for-all', 'for-eu']],
  ] as const)('%s', (_, entry, installed, inForce, replaced) => {
    const configs = configurationLayers({ managementAddOn: declaration(entry), installed }).flatMap((layer) => layer.configs);
    const names = (wanted: boolean): readonly string[] =>
      configs.filter(({ isInForce }) => isInForce === wanted).map(({ object }) => object.name);
    expect(names(true)).toEqual(inForce);
    expect(names(false)).toEqual(replaced);
  });
});
