import { mapList, object, optional, required, withDefault } from '../../schema/builders.js';
import type { KindVersion } from '../../schema/kind.js';
import { addOnConfig, addOnMeta } from '../config.js';
import { dependencies, installStrategy } from '../install-strategy.js';
import { defaultConfigReferences, installProgressions, managementConditions, versions } from '../progression.js';
import { managementColumns, noSelfDependency } from '../v1alpha1/cluster-management-add-on.js';

const spec = object('ClusterManagementAddOnV1beta1Spec', 'What the add-on is, where it is installed and what it needs.', {
  addOnMeta: optional('Name and description for people.', addOnMeta),
  defaultConfigs: optional(
    'Kinds of configuration the add-on understands, each with the object used by default; the name `__reserved_no_default__` means there is none.',
    mapList(addOnConfig, ['group', 'resource']),
  ),
  dependencies,
  installStrategy: optional('On which clusters the add-on is installed.', withDefault(installStrategy, { type: 'Manual' })),
});

const status = object('ClusterManagementAddOnV1beta1Status', 'What is known about the add-on across the fleet.', {
  ...versions,
  defaultConfigReferences,
  installProgressions,
  conditions: managementConditions,
});

export const clusterManagementAddOnV1beta1: KindVersion = {
  version: 'v1beta1',
  typeName: 'ClusterManagementAddOnV1beta1',
  description: 'An add-on of the fleet: what it is called, which configurations it takes, on which clusters it is installed.',
  spec: required('The desired state.', spec),
  status: optional('What was observed; written by the add-on manager.', status),
  rules: [noSelfDependency],
  columns: managementColumns,
};
