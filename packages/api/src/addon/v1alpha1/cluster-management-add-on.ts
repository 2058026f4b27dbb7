import { mapList, object, optional, required, withDefault } from '../../schema/builders.js';
import { AGE, type KindVersion, type PrinterColumn } from '../../schema/kind.js';
import type { ValidationRule } from '@outrigger/core/schema';
import { addOnMeta, configCoordinates, configReferent, groupResource } from '../config.js';
import { dependencies, installStrategy } from '../install-strategy.js';
import { defaultConfigReferences, installProgressions, managementConditions, versions } from '../progression.js';

const supportedConfig = object('SupportedConfig', 'A kind of configuration the add-on understands.', {
  ...groupResource,
  defaultConfig: optional('The object used where nothing more specific is named.', configReferent),
});

const spec = object('ClusterManagementAddOnSpec', 'What the add-on is, where it is installed and what it needs.', {
  addOnMeta: optional('Name and description for people.', addOnMeta),
  addOnConfiguration: optional('Deprecated and ignored: use supportedConfigs.', configCoordinates),
  supportedConfigs: optional(
    'Kinds of configuration the add-on understands; no other kind may be referenced for it.',
    mapList(supportedConfig, ['group', 'resource']),
  ),
  dependencies,
  installStrategy: optional('On which clusters the add-on is installed.', withDefault(installStrategy, { type: 'Manual' })),
});

const status = object('ClusterManagementAddOnStatus', 'What is known about the add-on across the fleet.', {
  ...versions,
  // This is how upstream spells the field in v1alpha1, with a lower-case c.
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
  description: 'An add-on of the fleet: what it is called, which configurations it takes, on which clusters it is installed.',
  spec: required('The desired state.', spec),
  status: optional('What was observed; written by the add-on manager.', status),
  rules: [noSelfDependency],
  columns: managementColumns,
};
