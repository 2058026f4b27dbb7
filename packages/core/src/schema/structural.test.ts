import { describe, expect, it } from 'vitest';
import { checkStructural, fieldErrorText, type StructuralSchema } from './index.js';

const spec = (schema: StructuralSchema): StructuralSchema => ({ type: 'object', properties: { spec: schema } });
const list = (schema: StructuralSchema): StructuralSchema => spec({ type: 'array', ...schema });
const item = { type: 'object', required: ['a'], properties: { a: { type: 'string' } } } as const;

/** Errors recorded from kube-apiserver 1.35.4. */
const REFUSED: [string, StructuralSchema, string[]][] = [
  [
    'a property without type',
    spec({ properties: { a: { type: 'string' } } }),
    ['.properties[spec].type: Required value: must not be empty for specified object fields'],
  ],
  ['a list without items', list({}), ['.properties[spec].items: Required value: must be specified']],
  ['a root that is no object', { type: 'string' }, ['.type: Invalid value: "string": must be object at the root']],
  [
    'an alternative with a type',
    spec({ type: 'object', anyOf: [{ type: 'object' }] }),
    ['.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural'],
  ],
  [
    'an alternative about an undeclared property',
    { type: 'object', anyOf: [{ properties: { z: { minLength: 1 } } }] },
    ['.properties[z]: Required value: because it is defined in .anyOf[0].properties[z]'],
  ],
  [
    'a pattern that does not compile',
    spec({ type: 'string', pattern: '(' }),
    [
      '.properties[spec].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
    ],
  ],
  [
    'properties beside additionalProperties',
    spec({ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } }),
    ['.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive'],
  ],
  [
    'unique items',
    list({ items: { type: 'string' }, uniqueItems: true }),
    ['.properties[spec].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic'],
  ],
  [
    'a set of objects that merge',
    list({ items: { type: 'object' }, 'x-kubernetes-list-type': 'set' }),
    [
      '.properties[spec].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  ],
  [
    'a map without keys',
    list({ items: item, 'x-kubernetes-list-type': 'map' }),
    ['.properties[spec].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map'],
  ],
  [
    'a key that is neither required nor defaulted',
    list({ items: { ...item, required: [] }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] }),
    [
      '.properties[spec].items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ],
  ],
  [
    'a default of the wrong type',
    spec({ type: 'integer', default: 'x' }),
    ['.properties[spec].default: Invalid value: "string":  in body must be of type integer: "string"'],
  ],
  [
    'a default with unknown fields',
    spec({ type: 'object', default: { a: 1 }, properties: {} }),
    ['.properties[spec].default: Invalid value: {"a":1}: must not have unknown fields'],
  ],
  [
    'metadata beyond its name',
    { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
    ['.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified'],
  ],
  [
    'a rule without text',
    spec({ type: 'string', 'x-kubernetes-validations': [{ rule: ' ' }] }),
    ['.properties[spec].x-kubernetes-validations[0].rule: Required value: rule is not specified'],
  ],
];

describe('checkStructural', () => {
  it.each(REFUSED)('refuses %s', (_, schema, want) => expect(checkStructural(schema, { path: '' }).map(fieldErrorText)).toEqual(want));

  const accepted: [string, StructuralSchema][] = [
    ['the usual', spec({ type: 'object', required: ['a'], properties: { a: { type: 'string', default: 'x' } } })],
    [
      'int-or-string with its pattern of alternatives',
      spec({ anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true }),
    ],
    ['anything where unknown fields are preserved', spec({ 'x-kubernetes-preserve-unknown-fields': true })],
    [
      'a restricted name',
      { type: 'object', properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 3 } } } } },
    ],
  ];
  it.each(accepted)('accepts %s', (_, schema) => expect(checkStructural(schema)).toEqual([]));

  it('reports rules that do not compile, and oldSelf in rules of items that cannot be correlated', () => {
    const schema = list({ items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'oldSelf' }] } });
    const compiler = { compile: () => ({ usesOldSelf: true, evaluate: () => undefined }) };
    expect(checkStructural(schema, { path: '', rules: compiler }).map(fieldErrorText)).toEqual([
      '.properties[spec].items.x-kubernetes-validations[0].rule: Invalid value: "oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within .properties[spec]',
    ]);
    const broken = {
      compile: () => {
        throw new Error('compilation failed: ERROR: <input>:1:1: undeclared reference');
      },
    };
    expect(checkStructural(schema, { path: '', rules: broken }).map(({ detail }) => detail)).toEqual([
      'compilation failed: ERROR: <input>:1:1: undeclared reference',
    ]);
  });
});
