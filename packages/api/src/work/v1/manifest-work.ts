import { atomicList, boolean, enumeration, integer, mapList, object, optional, required, string } from '../../schema/builders.js';
import { conditions } from '../../schema/common.js';
import { AGE, type KindVersion } from '../../schema/kind.js';
import { manifestWorkSpec } from './work-spec.js';

const resourceMeta = object('ManifestResourceMeta', 'Identifies the manifest and the object that it describes.', {
  ordinal: required('Position of the manifest in the spec, from 0.', integer({ format: 'int32' })),
  group: optional('API group of the object.', string()),
  version: optional('Version of the object.', string()),
  kind: optional('Kind of the object.', string()),
  resource: optional('Plural resource name of the object.', string()),
  name: optional('Name of the object.', string()),
  namespace: optional('Namespace of the object.', string()),
});

const fieldValue = object('FeedbackFieldValue', 'A reported value; `type` determines which field contains it.', {
  type: required('Type of the value.', enumeration('Integer', 'String', 'Boolean', 'JsonRaw')),
  integer: optional('The value, if it is an integer.', integer()),
  string: optional('The value, if it is a string.', string()),
  boolean: optional('The value, if it is true or false.', boolean()),
  jsonRaw: optional('The value as JSON, if it is a list or an object.', string({ maxLength: 1024 })),
});

const feedbackValue = object('FeedbackValue', 'A value of the object on the managed cluster.', {
  name: required('Name of the value.', string()),
  fieldValue: required('The value.', fieldValue),
});

const manifestCondition = object('ManifestCondition', 'The observed state of one manifest.', {
  resourceMeta: required('Which manifest.', resourceMeta),
  conditions: required('`Applied`, `Available`, `StatusFeedbackSynced` and those of condition rules.', conditions),
  statusFeedback: optional(
    'Values read from the object.',
    object('StatusFeedback', 'Values read from the object.', { values: optional('The values.', mapList(feedbackValue, ['name'])) }),
  ),
});

const status = object('ManifestWorkStatus', 'The observed state of the work on its cluster.', {
  conditions: optional('`Applied`, `Available`, `Deleting`, and the aggregates of condition rules.', conditions),
  resourceStatus: optional(
    'The observed state of each manifest.',
    object('ManifestResourceStatus', 'The observed state of each manifest.', {
      manifests: optional('One entry per manifest, in the order of the spec.', atomicList(manifestCondition)),
    }),
  ),
});

export const manifestWork: KindVersion = {
  version: 'v1',
  typeName: 'ManifestWork',
  description: 'Objects to apply on one managed cluster; its namespace is the name of the cluster.',
  spec: required('The desired state.', manifestWorkSpec),
  status: optional("The observed state. Written by the cluster's agent.", status),
  columns: [
    { name: 'APPLIED', type: 'string', jsonPath: '.status.conditions[?(@.type=="Applied")].status' },
    { name: 'AVAILABLE', type: 'string', jsonPath: '.status.conditions[?(@.type=="Available")].status' },
    AGE,
  ],
};
