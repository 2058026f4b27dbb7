import { deepFreeze, memoizeText } from '@outrigger/core';
import { fieldsOf, isMessage, type Field } from '../protobuf/layout.js';
import { type Fields, isFields, type MutableFields } from './draft.js';

/** The messages of times. Go writes null for a time that is not set. */
const TIMES: ReadonlySet<string> = new Set(['meta.v1.Time', 'meta.v1.MicroTime']);

/** Further messages whose JSON form is not an object with the fields of the message. Custom definitions keep their schemas as they are. */
const OPAQUE: ReadonlySet<string> = new Set([
  'api.resource.Quantity',
  'util.intstr.IntOrString',
  'meta.v1.Duration',
  'meta.v1.FieldsV1',
  'pkg.runtime.RawExtension',
  'apiextensions.v1.JSON',
  'apiextensions.v1.JSONSchemaProps',
]);

const ZEROS: Readonly<Record<string, unknown>> = {
  string: '',
  bytes: '',
  bool: false,
  int32: 0,
  int64: 0,
  uint32: 0,
  uint64: 0,
  double: 0,
};

/** Returns the fields of a message by JSON name, with those of embedded messages. */
const membersOf: (message: string) => ReadonlyMap<string, Field> = memoizeText((message) => {
  const fields = [...fieldsOf(message).values()];
  return new Map(fields.flatMap((field): [string, Field][] => (field.isInline ? [...membersOf(field.type)] : [[field.name, field]])));
});

function hasMembers({ type }: Field): boolean {
  return isMessage(type) && !TIMES.has(type) && !OPAQUE.has(type);
}

/** Returns the frozen object that a Go server writes if no field is set: the fields that are always present, all empty. */
export const emptyObject: (message: string) => Fields = memoizeText((message) => deepFreeze(emptied(message)));

function emptied(message: string): Fields {
  return Object.fromEntries(
    [...membersOf(message).values()].flatMap((field): [string, unknown][] => {
      const { name, type, isRepeated, isMap, omitsZero, isAlwaysWritten } = field;
      if (isRepeated || isMap) return omitsZero ? [] : [[name, null]];
      if (!isAlwaysWritten) return [];
      if (TIMES.has(type)) return [[name, null]];
      if (hasMembers(field)) return [[name, emptied(type)]];
      return omitsZero || !Object.hasOwn(ZEROS, type) ? [] : [[name, ZEROS[type]]];
    }),
  );
}

/**
 * Removes from an object the empty values that a Go server does not write: it reads them as absent, so they get defaults and have no owner.
 * The object's own metadata is cleaned when it is decoded, because an empty list of managedFields is a request there.
 */
export function dropEmptyValues(object: MutableFields, message: string): void {
  dropEmptyMembers(object, message, 'metadata');
}

function dropEmptyMembers(object: MutableFields, message: string, kept?: string): void {
  const members = membersOf(message);
  for (const name of Object.keys(object)) {
    const field = name === kept ? undefined : members.get(name);
    if (!field) continue;
    const value = object[name];
    if (field.omitsZero && (isEmpty(value, field) || isUnsetTime(value, message))) delete object[name];
    else if (hasMembers(field)) for (const part of partsOf(value, field)) dropEmptyMembers(part, field.type);
  }
}

/** Whether a value is the empty value of its type. A value of another type is kept, so that validation reports it. */
function isEmpty(value: unknown, { type, isRepeated, isMap }: Field): boolean {
  if (isRepeated) return Array.isArray(value) && value.length === 0;
  if (isMap) return isFields(value) && Object.keys(value).length === 0;
  return Object.hasOwn(ZEROS, type) && value === ZEROS[type];
}

/** Whether a value is the null with which older Go clients write the creation time of a template, which is never set. */
function isUnsetTime(value: unknown, message: string): boolean {
  return value === null && message === 'meta.v1.ObjectMeta';
}

function partsOf(value: unknown, { isRepeated, isMap }: Field): readonly MutableFields[] {
  if (isRepeated) return Array.isArray(value) ? value.filter(isFields) : [];
  if (!isFields(value)) return [];
  return isMap ? Object.values(value).filter(isFields) : [value];
}
