import type { Json } from '@outrigger/core';
import type { StructuralSchema, ValidationRule } from '@outrigger/core/schema';
import type { FieldDefinition, TypeDefinition } from './types.js';

type Limits<K extends keyof StructuralSchema> = Pick<StructuralSchema, K | 'default' | 'x-kubernetes-validations'>;

export function required(description: string, type: TypeDefinition): FieldDefinition {
  return { description, required: true, type };
}

export function optional(description: string, type: TypeDefinition): FieldDefinition {
  return { description, required: false, type };
}

/** Returns the same type with a default, which the API server sets if the field is absent. */
export function withDefault(type: TypeDefinition, value: Json): TypeDefinition {
  return { ...type, schema: { ...type.schema, default: value } };
}

/**
 * Returns a type that also accepts `null` on the wire. Upstream's schemas allow null for pointers that upstream's programs write as null.
 */
export function nullable(type: TypeDefinition): TypeDefinition {
  return { ...type, schema: { ...type.schema, nullable: true } };
}

export function string(limits: Limits<'minLength' | 'maxLength' | 'pattern' | 'format'> = {}): TypeDefinition {
  return { schema: { type: 'string', ...limits }, form: { type: 'text', text: 'string' } };
}

export function enumeration(...values: readonly string[]): TypeDefinition {
  return { schema: { type: 'string', enum: values }, form: { type: 'text', text: values.map((v) => `'${v}'`).join(' | ') } };
}

export function integer(limits: Limits<'minimum' | 'maximum' | 'format'> = {}): TypeDefinition {
  return { schema: { type: 'integer', format: 'int64', ...limits }, form: { type: 'text', text: 'number' } };
}

export function boolean(limits: Limits<never> = {}): TypeDefinition {
  return { schema: { type: 'boolean', ...limits }, form: { type: 'text', text: 'boolean' } };
}

/** Returns the type of a number or a string such as `25%`. `pattern` constrains the string, `minimum` the number. */
export function intOrString(limits: Limits<'pattern' | 'minimum'> = {}): TypeDefinition {
  return {
    schema: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }], ...limits },
    form: { type: 'text', text: 'number | string' },
  };
}

/** Returns the type of an instant in RFC 3339. */
export function time(): TypeDefinition {
  return string({ format: 'date-time' });
}

/** Returns the type of an atomic list (`x-kubernetes-list-type: atomic`). */
export function atomicList(items: TypeDefinition, limits: Limits<'minItems' | 'maxItems'> = {}): TypeDefinition {
  return list(items, { 'x-kubernetes-list-type': 'atomic', ...limits });
}

/** Returns the type of a list whose items are identified by `keys`. A second item with the same keys is rejected. */
export function mapList(items: TypeDefinition, keys: readonly string[], limits: Limits<'minItems' | 'maxItems'> = {}): TypeDefinition {
  return list(items, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys, ...limits });
}

function list(items: TypeDefinition, extra: StructuralSchema): TypeDefinition {
  return { schema: { type: 'array', items: items.schema, ...extra }, form: { type: 'list', items } };
}

/** Returns the type of a map from arbitrary keys to values of one type. */
export function mapOf(values: TypeDefinition): TypeDefinition {
  return { schema: { type: 'object', additionalProperties: values.schema }, form: { type: 'map', values } };
}

/** Returns the same object type, but atomic: server-side apply replaces it as a whole. */
export function atomic(type: TypeDefinition): TypeDefinition {
  return { ...type, schema: { ...type.schema, 'x-kubernetes-map-type': 'atomic' } };
}

/** Returns the type of a whole Kubernetes object inside another. The API server checks its type and metadata. */
export function embeddedObject(): TypeDefinition {
  return {
    schema: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    form: { type: 'core', name: 'KubeObject' },
  };
}

export function object(
  name: string,
  description: string,
  fields: Readonly<Record<string, FieldDefinition>>,
  rules: readonly ValidationRule[] = [],
): TypeDefinition {
  const properties = Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, describe(field)]));
  const needed = Object.keys(fields).filter((key) => fields[key]?.required);
  return {
    schema: {
      type: 'object',
      ...(Object.keys(fields).length > 0 ? { properties } : {}),
      ...(needed.length > 0 ? { required: needed } : {}),
      ...(rules.length > 0 ? { 'x-kubernetes-validations': rules } : {}),
    },
    form: { type: 'object', object: { name, description, fields } },
  };
}

/** Marks an object type whose interface is exported by core under the same name. */
export function fromCore(type: TypeDefinition): TypeDefinition {
  if (type.form.type !== 'object') throw new Error('only an object type has an interface');
  return { ...type, form: { type: 'object', object: { ...type.form.object, fromCore: true } } };
}

function describe(field: FieldDefinition): StructuralSchema {
  return { description: field.description, ...field.type.schema };
}
