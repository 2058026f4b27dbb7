import { atomicList, nullable, object, optional, required, string } from '../schema/builders.js';
import { conditions } from '../schema/common.js';
import type { FieldDefinition } from '../schema/types.js';
import { configSpecHash, groupResource } from './config.js';

const defaultConfigReference = object('DefaultConfigReference', 'A default configuration with the content it has now.', {
  ...groupResource,
  desiredConfig: optional('The configuration and the digest of its content.', configSpecHash),
});

export const defaultConfigReferences: FieldDefinition = optional(
  'The default configurations as last seen.',
  atomicList(defaultConfigReference),
);

const installConfigReference = object('InstallConfigReference', 'A configuration of one entry, with how far it has got.', {
  ...groupResource,
  desiredConfig: optional('What the clusters of the entry should use.', nullable(configSpecHash)),
  lastKnownGoodConfig: optional('What the last completed rollout used.', nullable(configSpecHash)),
  lastAppliedConfig: optional('What every cluster of the entry uses.', nullable(configSpecHash)),
});

const installProgression = object('InstallProgression', 'How far the clusters of one Placement have got.', {
  namespace: required('Namespace of the Placement.', string({ minLength: 1 })),
  name: required('Name of the Placement.', string({ minLength: 1 })),
  configReferences: optional('The configurations of this entry.', atomicList(installConfigReference)),
  conditions: optional('`Progressing`, with the counters in its message.', conditions),
});

export const installProgressions: FieldDefinition = optional(
  'How far each Placement of the install strategy has got.',
  atomicList(installProgression),
);

/** The status fields that both versions have in common. */
export const versions: Readonly<Record<'supportedVersions' | 'defaultVersion', FieldDefinition>> = {
  supportedVersions: optional('Every version that can be installed.', atomicList(string())),
  defaultVersion: optional('The version installed where none is asked for.', string()),
};

export const managementConditions: FieldDefinition = optional(
  '`TargetsResolved`, `DependenciesValid`, and `Progressing` with a label selector.',
  conditions,
);
