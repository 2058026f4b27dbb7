import { memoize } from '../memo/memoize.js';
import type { StructuralSchema } from '../schema/types.js';

export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped';

/**
 * Defines how the values of one field are merged: which shapes a value may have, and, for lists and maps, whether their parts have separate
 * owners.
 */
export interface MergeType {
  readonly scalar?: ScalarType;
  readonly list?: ListMerge;
  readonly map?: MapMerge;
}

export interface ListMerge {
  /**
   * Whether the list is atomic. The items of a list that is not atomic are identified by `keys`. If there are no keys, the list is a set.
   */
  readonly atomic: boolean;
  readonly keys: readonly string[];
  /** The values that identify an item in place of the keys that it omits. */
  readonly defaults: ReadonlyMap<string, unknown>;
  readonly item: MergeType;
}

export interface MapMerge {
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, MergeType>;
  /** The type of the members that `fields` does not contain; undefined if no such members are allowed. */
  readonly other: MergeType | undefined;
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

/** The type of a value whose type is not known. It is atomic. */
export const ATOMIC_TYPE: MergeType = untypedType(true);

/** The type of a value without a schema. Maps are merged member by member, and lists are atomic. */
export const DEDUCED_TYPE: MergeType = untypedType(false);

function untypedType(atomic: boolean): MergeType {
  const list = { atomic: true, keys: [], defaults: NONE, item: {} as MergeType };
  const map = { atomic, fields: NONE, other: undefined as MergeType | undefined };
  const type: MergeType = { scalar: 'untyped', list, map };
  list.item = atomic ? type : ATOMIC_TYPE;
  map.other = type;
  return type;
}

const text = { type: 'string' } as const;
const texts = { type: 'object', additionalProperties: text } as const;

/** ObjectMeta as the API server's OpenAPI document declares it. */
const OBJECT_META: StructuralSchema = {
  type: 'object',
  properties: {
    annotations: texts,
    creationTimestamp: { type: 'string', format: 'date-time' },
    deletionGracePeriodSeconds: { type: 'integer' },
    deletionTimestamp: { type: 'string', format: 'date-time' },
    finalizers: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    generateName: text,
    generation: { type: 'integer' },
    labels: texts,
    managedFields: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'atomic' },
    name: text,
    namespace: text,
    ownerReferences: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      'x-outrigger-key-defaults': { uid: '' },
      items: {
        type: 'object',
        'x-kubernetes-map-type': 'atomic',
        properties: {
          apiVersion: text,
          blockOwnerDeletion: { type: 'boolean' },
          controller: { type: 'boolean' },
          kind: text,
          name: text,
          uid: text,
        },
      },
    },
    resourceVersion: text,
    selfLink: text,
    uid: text,
  },
};

const compiled = memoize((schema: StructuralSchema) =>
  typeOf({ ...schema, type: 'object', 'x-kubernetes-embedded-resource': true }, false),
);

/** Returns the merge type of a kind's objects. Without a schema, all types except that of metadata are deduced from the values. */
export function objectType(schema: StructuralSchema | undefined): MergeType {
  return schema === undefined ? DEDUCED_TYPE : compiled(schema);
}

function typeOf(schema: StructuralSchema, preserves: boolean): MergeType {
  const preservesHere = preserves || schema['x-kubernetes-preserve-unknown-fields'] === true;
  switch (schema['x-kubernetes-int-or-string'] ? undefined : schema.type) {
    case 'object':
      return { map: mapMerge(schema, preservesHere) };
    case 'array':
      return { list: listMerge(schema, preservesHere) };
    case 'string':
      return { scalar: schema.format === undefined || schema.format === 'byte' ? 'string' : 'untyped' };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    default:
      return { scalar: 'untyped', list: listMerge(schema, preservesHere), map: mapMerge(schema, preservesHere) };
  }
}

function listMerge(schema: StructuralSchema, preserves: boolean): ListMerge {
  const item = schema.items ? typeOf(schema.items, preserves) : ATOMIC_TYPE;
  const declared = schema['x-kubernetes-list-type'];
  if (declared === 'map') {
    const keys = [...(schema['x-kubernetes-list-map-keys'] ?? [])].sort();
    return { atomic: false, keys, defaults: keyDefaults(schema, keys), item };
  }
  if (declared === 'set') return { atomic: false, keys: [], defaults: NONE, item };
  const merges = declared === undefined && (schema['x-kubernetes-patch-strategy'] ?? '').split(',').includes('merge');
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  const keys = merges && mergeKey ? [mergeKey] : [];
  return { atomic: !merges, keys, defaults: keyDefaults(schema, keys), item };
}

function keyDefaults(schema: StructuralSchema, keys: readonly string[]): ReadonlyMap<string, unknown> {
  const defaults = keys.map((key) => [key, schema.items?.properties?.[key]?.default ?? schema['x-outrigger-key-defaults']?.[key]] as const);
  return new Map(defaults.filter(([, value]) => value !== undefined));
}

function mapMerge(schema: StructuralSchema, preserves: boolean): MapMerge {
  const properties: Record<string, StructuralSchema> = { ...schema.properties };
  if (schema['x-kubernetes-embedded-resource']) Object.assign(properties, { apiVersion: text, kind: text, metadata: OBJECT_META });
  const entries = Object.entries(properties);
  return {
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    fields: new Map(
      entries.map(([name, property]) => [name, typeOf(property, name === 'metadata' && property === OBJECT_META ? false : preserves)]),
    ),
    other: otherType(schema, entries.length, preserves),
  };
}

function otherType({ additionalProperties }: StructuralSchema, declared: number, preserves: boolean): MergeType | undefined {
  if (typeof additionalProperties === 'object') return typeOf(additionalProperties, preserves);
  if (additionalProperties === false) return undefined;
  return additionalProperties === true || preserves || declared === 0 ? DEDUCED_TYPE : undefined;
}
