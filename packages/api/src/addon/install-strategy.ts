import type { InstallStrategy } from '../generated/addon.js';
import { atomicList, enumeration, mapList, object, optional, required, string, withDefault } from '../schema/builders.js';
import { chosenVersion, labelSelector, NAMESPACE_PATTERN } from '../schema/common.js';
import type { FieldDefinition, TypeDefinition } from '../schema/types.js';
import { addOnConfig } from './config.js';
import { rolloutStrategy } from './rollout-strategy.js';

/** The fields have no defaults, so a field that the fleet admin omits stays absent and the installer does not set it. */
const addOnTemplate = object('InstallTemplate', 'Fields that the installer sets in the spec of each ManagedClusterAddOn of the entry.', {
  installNamespace: optional(
    'Namespace on the managed cluster; written when the add-on is created and not changed later.',
    string({ maxLength: 63, pattern: NAMESPACE_PATTERN }),
  ),
  installVersion: optional('Version to install. If absent, the default version is installed.', chosenVersion()),
  configs: optional('Configurations of the add-on on these clusters. They replace the defaults of the same kind.', atomicList(addOnConfig)),
});

const addonTemplate = optional(
  'Fields of the ManagedClusterAddOns of these clusters. A change here also changes them, except for fields that a user overrides.',
  addOnTemplate,
);
const configs = optional('Configurations used on these clusters. They replace the defaults of the same kind.', atomicList(addOnConfig));

const placementStrategy = object('PlacementStrategy', 'The clusters that one Placement selects, and the settings of the add-on on them.', {
  namespace: required('Namespace of the Placement.', string({ minLength: 1 })),
  name: required('Name of the Placement.', string({ minLength: 1 })),
  addonTemplate,
  configs,
  rolloutStrategy: optional('How changes are rolled out to these clusters.', withDefault(rolloutStrategy, { type: 'All' })),
});

export const installStrategy: TypeDefinition = object(
  'InstallStrategy',
  'The clusters on which the add-on is installed.',
  {
    type: optional(
      '`Manual` installs nothing by itself; `Placements` follows Placements; `ClusterLabelSelector` takes every accepted cluster with matching labels.',
      withDefault(enumeration('Manual', 'Placements', 'ClusterLabelSelector'), 'Manual'),
    ),
    placements: optional(
      'With type `Placements`: the Placements that select the clusters. A cluster that several Placements select belongs to the last of them.',
      mapList(placementStrategy, ['namespace', 'name']),
    ),
    labelSelector: optional(
      'With type `ClusterLabelSelector`: selects ManagedClusters by label; `{}` selects every accepted cluster.',
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
    {
      rule: '!has(self.rolloutStrategy) || !has(self.rolloutStrategy.progressivePerGroup) || !has(self.rolloutStrategy.progressivePerGroup.mandatoryDecisionGroups) || size(self.rolloutStrategy.progressivePerGroup.mandatoryDecisionGroups) == 0',
      message: 'a label selector has no decision groups',
      reason: 'FieldValueForbidden',
      fieldPath: '.rolloutStrategy.progressivePerGroup.mandatoryDecisionGroups',
    },
  ],
);

/**
 * The fields that each type of install strategy uses. Admission warns about the other fields. For the type Placements, each item of
 * `placements` has the settings of one entry.
 */
export const FIELDS_OF_STRATEGY: {
  readonly [Type in NonNullable<InstallStrategy['type']>]: readonly Exclude<keyof InstallStrategy, 'type'>[];
} = {
  Manual: [],
  Placements: ['placements'],
  ClusterLabelSelector: ['labelSelector', 'addonTemplate', 'configs', 'rolloutStrategy'],
};

const dependency = object('AddOnDependency', 'Another add-on this one needs on the same cluster.', {
  name: required('Name of the other add-on (its ClusterManagementAddOn).', string({ minLength: 1, maxLength: 253 })),
  type: optional(
    '`Required`: the add-on is not available without it. `Optional`: it works with less.',
    withDefault(enumeration('Required', 'Optional'), 'Required'),
  ),
  message: optional('What does not work without the dependency. The Degraded condition contains this text.', string({ maxLength: 1024 })),
});

export const dependencies: FieldDefinition = optional(
  'Add-ons that must be installed and available on the same cluster. A missing dependency does not delay the add-on; the Degraded condition reports it.',
  mapList(dependency, ['name'], { maxItems: 256 }),
);
