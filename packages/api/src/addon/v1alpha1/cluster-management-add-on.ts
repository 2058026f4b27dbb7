import { mapList, object, optional, required, withDefault } from '../../schema/builders.js';
import { AGE, type KindVersion, type PrinterColumn } from '../../schema/kind.js';
import type { ValidationRule } from '@outrigger/core/schema';
import { addOnMeta, configCoordinates, configReferent, groupResource } from '../config.js';
import { dependencies, installStrategy } from '../install-strategy.js';
import { defaultConfigReferences, installProgressions, managementConditions, versions } from '../progression.js';

const supportedConfig = object('SupportedConfig', 'A kind of configuration that the add-on supports.', {
  ...groupResource,
  defaultConfig: optional('The object that is used if no other one is referenced.', configReferent),
});

const spec = object(
  'ClusterManagementAddOnSpec',
  'The description of the add-on, the clusters on which it is installed, and its dependencies.',
  {
    addOnMeta: optional('Name and description for users.', addOnMeta),
    addOnConfiguration: optional('Deprecated and ignored: use supportedConfigs.', configCoordinates),
    supportedConfigs: optional(
      'Kinds of configuration that the add-on supports. No other kind may be referenced for it.',
      mapList(supportedConfig, ['group', 'resource']),
    ),
    dependencies,
    installStrategy: optional('The clusters on which the add-on is installed.', withDefault(installStrategy, { type: 'Manual' })),
  },
);

const status = object('ClusterManagementAddOnStatus', 'The observed state of the add-on in the whole fleet.', {
  ...versions,
  // In v1alpha1, upstream spells this field with a lower-case c.
  defaultconfigReferences: defaultConfigReferences,
  installProgressions,
  conditions: managementConditions,
});

export const noSelfDependency: ValidationRule = {
  rule: '!has(self.spec.dependencies) || self.spec.dependencies.all(d, d.name != self.metadata.name)',
  message: 'an add-on may not depend on itself',
  fieldPath: '.spec.dependencies',
};

export const managementColumns: readonly PrinterColumn[] = [
  { name: 'DISPLAY NAME', type: 'string', jsonPath: '.spec.addOnMeta.displayName' },
  { name: 'STRATEGY', type: 'string', jsonPath: '.spec.installStrategy.type' },
  { name: 'DEFAULT VERSION', type: 'string', jsonPath: '.status.defaultVersion' },
  AGE,
];

export const clusterManagementAddOn: KindVersion = {
  version: 'v1alpha1',
  typeName: 'ClusterManagementAddOn',
  description: 'An add-on of the fleet: its name, the configurations that it supports, and the clusters on which it is installed.',
  spec: required('The desired state.', spec),
  status: optional('The observed state. Written by the add-on manager.', status),
  rules: [noSelfDependency],
  columns: managementColumns,
};
