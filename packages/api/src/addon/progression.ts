import { atomicList, nullable, object, optional, required, string } from '../schema/builders.js';
import { conditions } from '../schema/common.js';
import type { FieldDefinition } from '../schema/types.js';
import { configSpecHash, groupResource } from './config.js';

const defaultConfigReference = object('DefaultConfigReference', 'A default configuration with its current content.', {
  ...groupResource,
  desiredConfig: optional('The configuration and the digest of its content.', configSpecHash),
});

export const defaultConfigReferences: FieldDefinition = optional(
  'The last observed default configurations.',
  atomicList(defaultConfigReference),
);

const installConfigReference = object('InstallConfigReference', 'A configuration of one entry, and the progress of its rollout.', {
  ...groupResource,
  desiredConfig: optional('The content that the clusters of the entry should use.', nullable(configSpecHash)),
  lastKnownGoodConfig: optional('The content of the last completed rollout.', nullable(configSpecHash)),
  lastAppliedConfig: optional('The content that every cluster of the entry uses.', nullable(configSpecHash)),
});

const installProgression = object('InstallProgression', 'The progress of the clusters of one Placement.', {
  namespace: required('Namespace of the Placement.', string({ minLength: 1 })),
  name: required('Name of the Placement.', string({ minLength: 1 })),
  configReferences: optional('The configurations of this entry.', atomicList(installConfigReference)),
  conditions: optional('`Progressing`, with the counters in its message.', conditions),
});

export const installProgressions: FieldDefinition = optional(
  'The progress of each Placement of the install strategy.',
  atomicList(installProgression),
);

/** The status fields that v1alpha1 and v1beta1 have in common. */
export const versions: Readonly<Record<'supportedVersions' | 'defaultVersion', FieldDefinition>> = {
  supportedVersions: optional('Every version that can be installed.', atomicList(string())),
  defaultVersion: optional('The version that is installed if none is requested.', string()),
};

export const managementConditions: FieldDefinition = optional(
  '`TargetsResolved`, `DependenciesValid`, and `Progressing` with a label selector.',
  conditions,
);
