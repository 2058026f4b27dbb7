import {
  atomicList,
  boolean,
  embeddedObject,
  enumeration,
  integer,
  mapList,
  object,
  optional,
  required,
  string,
  withDefault,
} from '../../schema/builders.js';
import { subdomain } from '../../schema/common.js';
import type { FieldDefinition, TypeDefinition } from '../../schema/types.js';

const resourceIdentity: Readonly<Record<string, FieldDefinition>> = {
  group: optional('API group of the object; empty for the core group.', string()),
  resource: required('Plural resource name of the object.', string()),
};

const orphaningRule = object('OrphaningRule', 'An object that stays when the work is deleted.', {
  ...resourceIdentity,
  name: required('Name of the object.', string()),
  namespace: optional('Namespace of the object; absent for a cluster-scoped one.', string()),
});

const deleteOption = object('DeleteOption', 'What happens to the objects when the work is deleted.', {
  propagationPolicy: optional(
    '`Foreground` deletes every object and waits; `Orphan` leaves all of them; `SelectivelyOrphan` leaves those listed.',
    withDefault(enumeration('Foreground', 'Orphan', 'SelectivelyOrphan'), 'Foreground'),
  ),
  selectivelyOrphans: optional(
    'With `SelectivelyOrphan`: the objects that stay.',
    object('SelectivelyOrphan', 'The objects that stay.', {
      orphaningRules: optional('One entry per object; there are no wildcards.', atomicList(orphaningRule)),
    }),
  ),
  ttlSecondsAfterFinished: optional(
    'Delete the work this long after it is Complete. If absent, the work is kept; 0 deletes it at once.',
    integer({ minimum: 0 }),
  ),
});

const jsonPath = object('FeedbackPath', 'One value of the object to report.', {
  name: required('Name of the value in the report.', string({ minLength: 1 })),
  version: optional('Version of the object to read. Defaults to the applied version.', string()),
  path: required('Where the value is, in the JSONPath of kubectl: `.status.replicas`.', string({ minLength: 1 })),
});

const feedbackRule = object('FeedbackRule', 'Values of the object to report.', {
  type: required(
    '`WellKnownStatus` reports what is usual for the kind, `JSONPaths` the paths given.',
    enumeration('WellKnownStatus', 'JSONPaths'),
  ),
  jsonPaths: optional('With `JSONPaths`: the values.', mapList(jsonPath, ['name'])),
});

const ignoreFields = object('IgnoreFields', 'Fields that the agent does not change on the managed cluster.', {
  condition: required(
    '`OnSpokePresent`: once the object exists. `OnSpokeChange`: while the manifest itself has not changed.',
    withDefault(enumeration('OnSpokePresent', 'OnSpokeChange'), 'OnSpokePresent'),
  ),
  jsonPaths: optional('Fields by JSONPath.', atomicList(string())),
  jsonPointers: optional('Fields by JSON pointer.', atomicList(string())),
  jqPathExpressions: optional('Fields by jq path expression.', atomicList(string())),
});

const serverSideApply = object('ServerSideApplySettings', 'How the object is applied.', {
  force: optional('Whether to take over fields that other field managers own.', boolean()),
  fieldManager: optional('Name of the field manager.', withDefault(string({ pattern: '^work-agent' }), 'work-agent')),
  ignoreFields: optional('Fields that the agent does not change on the managed cluster.', mapList(ignoreFields, ['condition'])),
});

const updateStrategy = object('UpdateStrategy', 'How the object is updated to match the manifest.', {
  type: required(
    '`Update` replaces, `CreateOnly` never changes an existing object, `ServerSideApply` applies, `ReadOnly` only reports.',
    withDefault(enumeration('Update', 'CreateOnly', 'ServerSideApply', 'ReadOnly'), 'Update'),
  ),
  serverSideApply: optional('Settings of `ServerSideApply`.', serverSideApply),
});

const conditionRule = object(
  'ConditionRule',
  'A condition computed from the object.',
  {
    condition: required('Type of the condition.', string()),
    type: required('`CEL` evaluates expressions, `WellKnownConditions` knows the kind.', enumeration('CEL', 'WellKnownConditions')),
    celExpressions: optional('With `CEL`: all must be true; `object` is the object.', atomicList(string())),
    message: optional('Message of the condition.', string()),
    messageExpression: optional('Expression that computes the message; `result` is the outcome.', string()),
  },
  [
    {
      rule: "self.type != 'CEL' || self.condition != ''",
      message: 'condition is required with type CEL',
      reason: 'FieldValueRequired',
      fieldPath: '.condition',
    },
  ],
);

const manifestConfig = object('ManifestConfig', 'How some of the manifests are treated.', {
  resourceIdentifier: required(
    'Which objects.',
    object('ResourceIdentifier', 'Objects of one resource, by name.', {
      ...resourceIdentity,
      name: required('Name of the object; `*` matches any characters.', string()),
      namespace: optional('Namespace of the object; `*` as in the name, absent only for cluster-scoped ones.', string()),
    }),
  ),
  feedbackRules: optional('Values to report.', atomicList(feedbackRule)),
  updateStrategy: optional('How the objects are updated to match the manifests.', updateStrategy),
  conditionRules: optional('Conditions computed from the objects.', mapList(conditionRule, ['condition'], { maxItems: 64 })),
  feedbackScrapeType: optional('Whether the objects are polled or watched.', withDefault(enumeration('Poll', 'Watch'), 'Poll')),
});

const executor = object('WorkExecutor', 'The identity with whose permissions the manifests are applied.', {
  subject: required(
    'The identity whose permissions are checked.',
    object(
      'ExecutorSubject',
      'The identity whose permissions are checked.',
      {
        type: required('Kind of the identity.', enumeration('ServiceAccount')),
        serviceAccount: optional(
          'A ServiceAccount of the managed cluster.',
          object('ExecutorServiceAccount', 'A ServiceAccount of the managed cluster.', {
            namespace: required('Namespace of the ServiceAccount.', subdomain()),
            name: required('Name of the ServiceAccount.', subdomain()),
          }),
        ),
      },
      [
        {
          rule: "self.type != 'ServiceAccount' || has(self.serviceAccount)",
          message: 'serviceAccount is required with type ServiceAccount',
          reason: 'FieldValueRequired',
          fieldPath: '.serviceAccount',
        },
      ],
    ),
  ),
});

function workSpec(name: string, workload: TypeDefinition): TypeDefinition {
  return object(name, 'Objects for one managed cluster and how they are treated.', {
    workload: optional('The objects.', workload),
    deleteOption: optional('What happens to the objects when the work is deleted.', deleteOption),
    manifestConfigs: optional('How some of the objects are treated.', atomicList(manifestConfig, { maxItems: 1024 })),
    executor: optional('The identity with whose permissions the objects are applied. Defaults to the agent.', executor),
  });
}

const MANIFESTS = 'The objects, in any order. The status identifies them by their position.';

export const manifestWorkSpec: TypeDefinition = workSpec(
  'ManifestWorkSpec',
  object('ManifestsTemplate', 'The objects of a work.', { manifests: optional(MANIFESTS, atomicList(embeddedObject())) }),
);

/**
 * A manifest before its variables are filled in. Its names, namespaces and labels may contain `{{NAME}}`, so the API server must not
 * validate it as an embedded object.
 */
const templateManifest: TypeDefinition = {
  schema: {
    type: 'object',
    properties: {
      apiVersion: { type: 'string', minLength: 1, description: 'Group and version of the object.' },
      kind: { type: 'string', minLength: 1, description: 'Kind of the object.' },
      metadata: { type: 'object', description: 'Name, namespace, labels and annotations.', 'x-kubernetes-preserve-unknown-fields': true },
    },
    required: ['apiVersion', 'kind'],
    'x-kubernetes-preserve-unknown-fields': true,
  },
  form: { type: 'core', name: 'JsonObject' },
};

export const templateWorkSpec: TypeDefinition = workSpec(
  'TemplateWorkSpec',
  object('TemplateManifests', 'The objects of a template.', {
    manifests: optional('The objects; `{{NAME}}` stands for a variable.', atomicList(templateManifest)),
  }),
);
