import { mapList, object, optional, required, withDefault } from '../../schema/builders.js';
import type { KindVersion } from '../../schema/kind.js';
import { addOnConfig, addOnMeta } from '../config.js';
import { dependencies, installStrategy } from '../install-strategy.js';
import { defaultConfigReferences, installProgressions, managementConditions, versions } from '../progression.js';
import { managementColumns, noSelfDependency } from '../v1alpha1/cluster-management-add-on.js';

const spec = object(
  'ClusterManagementAddOnV1beta1Spec',
  'The description of the add-on, the clusters on which it is installed, and its dependencies.',
  {
    addOnMeta: optional('Name and description for users.', addOnMeta),
    defaultConfigs: optional(
      'Kinds of configuration that the add-on supports, each with its default object. The name `__reserved_no_default__` means that there is no default.',
      mapList(addOnConfig, ['group', 'resource']),
    ),
    dependencies,
    installStrategy: optional('The clusters on which the add-on is installed.', withDefault(installStrategy, { type: 'Manual' })),
  },
);

const status = object('ClusterManagementAddOnV1beta1Status', 'The observed state of the add-on in the whole fleet.', {
  ...versions,
  defaultConfigReferences,
  installProgressions,
  conditions: managementConditions,
});

export const clusterManagementAddOnV1beta1: KindVersion = {
  version: 'v1beta1',
  typeName: 'ClusterManagementAddOnV1beta1',
  description: 'An add-on of the fleet: its name, the configurations that it supports, and the clusters on which it is installed.',
  spec: required('The desired state.', spec),
  status: optional('The observed state. Written by the add-on manager.', status),
  rules: [noSelfDependency],
  columns: managementColumns,
};
