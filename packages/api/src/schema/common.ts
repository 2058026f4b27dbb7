import type { ValidationRule } from '@outrigger/core/schema';
import {
  atomic,
  atomicList,
  enumeration,
  fromCore,
  integer,
  mapList,
  mapOf,
  object,
  optional,
  required,
  string,
  time,
} from './builders.js';
import type { TypeDefinition } from './types.js';

/** The pattern of a DNS label, which names of namespaces and clusters must match. */
export const NAMESPACE_PATTERN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';
export const QUALIFIED_NAME_PATTERN =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$';
const SUBDOMAIN_PATTERN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';
const LABEL_VALUE_PATTERN = '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$';

const condition = fromCore(
  object('Condition', 'One observed aspect of the object.', {
    type: required('What the condition is about.', string({ maxLength: 316, pattern: QUALIFIED_NAME_PATTERN })),
    status: required('Whether it holds.', enumeration('True', 'False', 'Unknown')),
    reason: required(
      'The reason for the status, as one word for programs.',
      string({ minLength: 1, maxLength: 1024, pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' }),
    ),
    message: required('The reason as text for users; may be empty.', string({ maxLength: 32768 })),
    lastTransitionTime: required('When the status last changed.', time()),
    observedGeneration: optional('The generation of the object that the condition describes.', integer({ minimum: 0 })),
  }),
);

export const conditions: TypeDefinition = mapList(condition, ['type']);

const labelSelectorRequirement = fromCore(
  object(
    'LabelSelectorRequirement',
    'One condition on a label.',
    {
      key: required('The key of the label.', string()),
      operator: required('How the label is compared with the values.', enumeration('In', 'NotIn', 'Exists', 'DoesNotExist')),
      values: optional('The values to compare with; empty for `Exists` and `DoesNotExist`.', atomicList(string())),
    },
    [
      {
        rule: "self.operator in ['In', 'NotIn'] ? has(self.values) && size(self.values) > 0 : !has(self.values) || size(self.values) == 0",
        message: '`In` and `NotIn` need values, `Exists` and `DoesNotExist` take none',
        fieldPath: '.values',
      },
    ],
  ),
);

export const selectorRequirements: TypeDefinition = atomicList(labelSelectorRequirement, { maxItems: 64 });

export const labelSelector: TypeDefinition = fromCore(
  atomic(
    object('LabelSelector', 'Selects objects by their labels. All parts must match. An empty selector selects all objects.', {
      matchLabels: optional('Labels that an object must have, with exactly these values.', mapOf(string())),
      matchExpressions: optional('Further conditions on labels.', selectorRequirements),
    }),
  ),
);

/** A quantity such as `500m` or `1Gi`. */
export const quantity: TypeDefinition = {
  schema: {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
  },
  form: { type: 'text', text: 'number | string' },
};

/** Returns the type of a DNS subdomain, which is the format of most object names. */
export function subdomain(): TypeDefinition {
  return string({ minLength: 1, maxLength: 253, pattern: SUBDOMAIN_PATTERN });
}

const NOT_THE_PLACEHOLDER: ValidationRule = {
  rule: "self != 'unknown'",
  message: '`unknown` is what the status says of a version in motion; name the version that is wanted',
};

/** Returns the type of an add-on version that users choose: a label value other than `unknown`, which the status uses as a placeholder. */
export function chosenVersion(): TypeDefinition {
  return string({ maxLength: 63, pattern: LABEL_VALUE_PATTERN, 'x-kubernetes-validations': [NOT_THE_PLACEHOLDER] });
}
