import { atomicList, enumeration, mapList, object, optional, required, string, withDefault } from '../schema/builders.js';
import { chosenVersion, labelSelector, NAMESPACE_PATTERN } from '../schema/common.js';
import type { FieldDefinition, TypeDefinition } from '../schema/types.js';
import { addOnConfig } from './config.js';
import { rolloutStrategy } from './rollout-strategy.js';

/** The fields have no defaults, so that the installer does not write a field that is absent. */
const addOnTemplate = object('InstallTemplate', 'What the installer writes into the spec of each ManagedClusterAddOn of the entry.', {
  installNamespace: optional(
    'Namespace on the managed cluster; written when the add-on is created and not changed later.',
    string({ maxLength: 63, pattern: NAMESPACE_PATTERN }),
  ),
  installVersion: optional('Version to install; absent follows the default version.', chosenVersion()),
  configs: optional('Configurations of the add-on on these clusters, replacing the defaults of the same kind.', atomicList(addOnConfig)),
});

const addonTemplate = optional(
  'Fields of the ManagedClusterAddOns of these clusters. They follow a change here, except where a person has edited them.',
  addOnTemplate,
);
const configs = optional('Configurations used on these clusters, replacing the defaults of the same kind.', atomicList(addOnConfig));

const placementStrategy = object('PlacementStrategy', 'Clusters chosen by one Placement, and how the add-on stands there.', {
  namespace: required('Namespace of the Placement.', string({ minLength: 1 })),
  name: required('Name of the Placement.', string({ minLength: 1 })),
  addonTemplate,
  configs,
  rolloutStrategy: optional('How changes travel over these clusters.', withDefault(rolloutStrategy, { type: 'All' })),
});

export const installStrategy: TypeDefinition = object(
  'InstallStrategy',
  'On which clusters the add-on is installed.',
  {
    type: optional(
      '`Manual` installs nothing by itself; `Placements` follows Placements; `ClusterLabelSelector` takes every accepted cluster with matching labels.',
      withDefault(enumeration('Manual', 'Placements', 'ClusterLabelSelector'), 'Manual'),
    ),
    placements: optional(
      'With type `Placements`: the Placements to follow. A cluster chosen by several belongs to the last of them.',
      mapList(placementStrategy, ['namespace', 'name']),
    ),
    labelSelector: optional(
      'With type `ClusterLabelSelector`: the labels of the ManagedClusters; `{}` is every accepted cluster.',
      labelSelector,
    ),
    addonTemplate: { ...addonTemplate, description: `With type \`ClusterLabelSelector\`. ${addonTemplate.description}` },
    configs: { ...configs, description: `With type \`ClusterLabelSelector\`. ${configs.description}` },
    rolloutStrategy: optional(
      'With type `ClusterLabelSelector`: how changes travel over these clusters; absent is all at once. There are no decision groups here.',
      rolloutStrategy,
    ),
  },
  [
    {
      rule: "self.type != 'ClusterLabelSelector' || has(self.labelSelector)",
      message: 'type ClusterLabelSelector needs labelSelector ({} selects every accepted cluster)',
      reason: 'FieldValueRequired',
      fieldPath: '.labelSelector',
    },
    {
      rule: "!has(self.rolloutStrategy) || self.rolloutStrategy.type != 'ProgressivePerGroup'",
      message: 'ProgressivePerGroup needs the decision groups of a Placement; use Progressive with a label selector',
      fieldPath: '.rolloutStrategy.type',
    },
    {
      rule: '!has(self.rolloutStrategy) || !has(self.rolloutStrategy.progressive) || !has(self.rolloutStrategy.progressive.mandatoryDecisionGroups) || size(self.rolloutStrategy.progressive.mandatoryDecisionGroups) == 0',
      message: 'a label selector has no decision groups',
      reason: 'FieldValueForbidden',
      fieldPath: '.rolloutStrategy.progressive.mandatoryDecisionGroups',
    },
  ],
);

const dependency = object('AddOnDependency', 'Another add-on this one needs on the same cluster.', {
  name: required('Name of the other add-on (its ClusterManagementAddOn).', string({ minLength: 1, maxLength: 253 })),
  type: optional(
    '`Required`: the add-on is not available without it. `Optional`: it works with less.',
    withDefault(enumeration('Required', 'Optional'), 'Required'),
  ),
  message: optional('What does not work without it; shown in the Degraded condition.', string({ maxLength: 1024 })),
});

export const dependencies: FieldDefinition = optional(
  'Add-ons that must be installed and available on the same cluster. They hold back nothing: what is missing is reported in the Degraded condition.',
  mapList(dependency, ['name'], { maxItems: 256 }),
);
