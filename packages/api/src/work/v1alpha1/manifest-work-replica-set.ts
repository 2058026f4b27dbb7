import { rolloutStrategy } from '../../addon/rollout-strategy.js';
import { atomicList, enumeration, integer, object, optional, required, string, withDefault } from '../../schema/builders.js';
import { conditions } from '../../schema/common.js';
import { AGE, type KindVersion } from '../../schema/kind.js';
import { manifestWorkSpec } from '../v1/work-spec.js';

const placementRef = object('LocalPlacementReference', 'A Placement in the namespace of the ManifestWorkReplicaSet.', {
  name: required('Name of the Placement.', string({ minLength: 1 })),
  rolloutStrategy: optional(
    'How a change of the template is rolled out to the clusters of the Placement.',
    withDefault(rolloutStrategy, { type: 'All', all: { progressDeadline: 'None' } }),
  ),
});

const spec = object('ManifestWorkReplicaSetSpec', 'The work that every selected cluster gets.', {
  manifestWorkTemplate: optional('The spec of the ManifestWorks.', manifestWorkSpec),
  placementRefs: required('The Placements that select the clusters.', atomicList(placementRef, { minItems: 1 })),
  cascadeDeletionPolicy: optional(
    'Deletion of the ManifestWorkReplicaSet deletes its works. `Foreground` waits until they are deleted, `Background` does not.',
    withDefault(enumeration('Background', 'Foreground'), 'Background'),
  ),
});

const count = integer();

const summary = object('ManifestWorkReplicaSetSummary', 'Numbers of ManifestWorks by state.', {
  total: optional('ManifestWorks that exist.', count),
  desiredTotal: optional('ManifestWorks that the selected clusters need.', count),
  updated: optional('ManifestWorks with the current template.', count),
  applied: optional('ManifestWorks whose Applied condition is True.', count),
  available: optional('ManifestWorks whose Available condition is True.', count),
  progressing: optional('ManifestWorks whose Progressing condition is True.', count),
  degraded: optional('ManifestWorks whose Degraded condition is True.', count),
});

const placementSummary = object('ManifestWorkReplicaSetPlacementSummary', 'The ManifestWorks of one Placement.', {
  name: required('Name of the Placement.', string()),
  availableDecisionGroups: optional('The number of decision groups, and how many of their clusters have a ManifestWork.', string()),
  summary: optional('Numbers of ManifestWorks of the Placement by state.', summary),
});

const status = object('ManifestWorkReplicaSetStatus', 'The state of the ManifestWorks.', {
  conditions: optional('`PlacementVerified`, `PlacementRolledOut` and `ManifestworkApplied`.', conditions),
  summary: optional('Numbers of all ManifestWorks by state.', summary),
  placementSummary: optional('The ManifestWorks of each Placement.', atomicList(placementSummary)),
});

export const manifestWorkReplicaSet: KindVersion = {
  version: 'v1alpha1',
  typeName: 'ManifestWorkReplicaSet',
  description: 'Creates the same ManifestWork in the namespace of every cluster that its Placements select.',
  spec: required('What is wanted.', spec),
  status: optional('The observed state. Written by the hub.', status),
  columns: [
    { name: 'PLACEMENT', type: 'string', jsonPath: '.status.conditions[?(@.type=="PlacementVerified")].reason' },
    { name: 'ROLLEDOUT', type: 'string', jsonPath: '.status.conditions[?(@.type=="PlacementRolledOut")].reason' },
    { name: 'APPLIED', type: 'string', jsonPath: '.status.conditions[?(@.type=="ManifestworkApplied")].reason' },
    AGE,
  ],
};
