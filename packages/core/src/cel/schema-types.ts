import { isJsonObject } from '../json.js';
import type { StructuralSchema } from '../schema/types.js';
import { CelEvaluationError } from './errors.js';
import { parseGoDuration, parseTimestamp } from './time.js';
import { BOOL, BYTES, type CelType, DOUBLE, DURATION, DYN, INT, listOf, mapOf, STRING, TIMESTAMP } from './types.js';
import { CelObject, type CelValue, fromJson, JsonMap, type ObjectField } from './values.js';

/** How a schema's values are represented in expressions: their static type, and the conversion from JSON. */
export interface SchemaType {
  readonly type: CelType;
  readonly convert: (raw: unknown) => CelValue;
}

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
const ESCAPES: Readonly<Record<string, string>> = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' };

/** Returns a property's name as expressions write it (`foo-bar` is `foo__dash__bar`), or undefined if it cannot be written. */
export function escapePropertyName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  const escaped = name.replace(/__|[.\-/]/g, (part) => ESCAPES[part] ?? part);
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(escaped) ? escaped : undefined;
}

const OBJECT_META: StructuralSchema = { type: 'object', properties: { name: { type: 'string' }, generateName: { type: 'string' } } };
const TYPE_META: Readonly<Record<string, StructuralSchema>> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: OBJECT_META,
};

/**
 * Returns the type of a schema, or undefined if the schema does not describe its values. Expressions cannot access values without a type.
 */
export function schemaType(schema: StructuralSchema, isRoot: boolean, name = 'selfType'): SchemaType | undefined {
  const known = typeOfSchema(schema, isRoot, name);
  // The value of a nullable schema may be null, so its static type is dyn.
  return known !== undefined && schema.nullable ? { type: DYN, convert: (raw) => (raw === null ? null : known.convert(raw)) } : known;
}

function typeOfSchema(schema: StructuralSchema, isRoot: boolean, name: string): SchemaType | undefined {
  if (schema['x-kubernetes-int-or-string']) return { type: DYN, convert: fromJson };
  switch (schema.type) {
    case 'boolean':
      return { type: BOOL, convert: (raw) => (typeof raw === 'boolean' ? raw : unexpected('boolean', raw)) };
    case 'integer':
      return { type: INT, convert: (raw) => (Number.isInteger(raw) ? BigInt(raw as number) : unexpected('integer', raw)) };
    case 'number':
      return { type: DOUBLE, convert: (raw) => (typeof raw === 'number' ? raw : unexpected('number', raw)) };
    case 'string':
      return stringType(schema.format);
    case 'array':
      return arrayType(schema, name);
    case 'object':
      return objectType(schema, isRoot || schema['x-kubernetes-embedded-resource'] === true, name);
    default:
      return undefined;
  }
}

function stringType(format: string | undefined): SchemaType {
  const { type, read } = STRING_FORMATS.get(format ?? '') ?? PLAIN_STRING;
  return { type, convert: (raw) => (typeof raw === 'string' ? read(raw) : unexpected('string', raw)) };
}

interface StringFormat {
  readonly type: CelType;
  readonly read: (text: string) => CelValue;
}

const PLAIN_STRING: StringFormat = { type: STRING, read: (text) => text };
const STRING_FORMATS: ReadonlyMap<string, StringFormat> = new Map([
  ['byte', { type: BYTES, read: decodeBase64 }],
  ['duration', { type: DURATION, read: parseGoDuration }],
  ['date', { type: TIMESTAMP, read: (text: string) => parseTimestamp(`${text}T00:00:00Z`) }],
  ['date-time', { type: TIMESTAMP, read: parseTimestamp }],
]);

function decodeBase64(text: string): Uint8Array {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw new CelEvaluationError('invalid data, expected base64');
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

function arrayType(schema: StructuralSchema, name: string): SchemaType | undefined {
  const items = schema.items && schemaType(schema.items, false, `${name}.@idx`);
  return items && { type: listOf(items.type), convert: (raw) => (Array.isArray(raw) ? raw.map(items.convert) : unexpected('array', raw)) };
}

/** Throws for data of an unexpected type. Rules run on validated data, so this happens only if a caller did not validate the data. */
function unexpected(type: string, raw: unknown): never {
  throw new CelEvaluationError(`invalid data, expected type ${type}, found ${raw === null ? 'null' : typeof raw}`);
}

function objectType(schema: StructuralSchema, isResource: boolean, name: string): SchemaType | undefined {
  if (typeof schema.additionalProperties === 'object') {
    const values = schemaType(schema.additionalProperties, false, `${name}.@elem`);
    return (
      values && {
        type: mapOf(STRING, values.type),
        convert: (raw) => (isJsonObject(raw) ? new JsonMap(raw, values.convert) : unexpected('object', raw)),
      }
    );
  }
  const properties = isResource ? withResourceFields(schema) : (schema.properties ?? {});
  const types = new Map<string, CelType>();
  const fields = new Map<string, ObjectField>();
  for (const [key, property] of Object.entries(properties)) {
    const fieldName = escapePropertyName(key);
    const member = schemaType(property, false, `${name}.${key}`);
    if (fieldName === undefined || member === undefined) continue;
    types.set(fieldName, member.type);
    fields.set(fieldName, { key, convert: member.convert });
  }
  return {
    type: { kind: 'object', name, fields: types },
    convert: (raw) => (isJsonObject(raw) ? new CelObject(name, raw, fields) : unexpected('object', raw)),
  };
}

/**
 * Adds the fields that expressions can always read: apiVersion, kind, and the name and generateName of a whole object, but not labels and
 * the rest of metadata.
 */
function withResourceFields(schema: StructuralSchema): Readonly<Record<string, StructuralSchema>> {
  return { ...schema.properties, ...TYPE_META };
}
