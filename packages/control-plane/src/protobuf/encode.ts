import { parseDurationNanos, parseTime } from '@outrigger/core';
import { messageOf } from './kinds.js';
import { fieldsOf, PROTOBUF_MAGIC, type Field } from './layout.js';
import { WireWriter } from './wire-writer.js';

type JsonMap = Readonly<Record<string, unknown>>;

/** Encodes an object in Kubernetes' binary format, byte for byte as a Go server does. Throws for kinds without a binary format. */
export function encodeProtobuf(object: object): Uint8Array {
  const { apiVersion = '', kind = '' } = object as { readonly apiVersion?: string; readonly kind?: string };
  const message = messageOf(apiVersion, kind);
  if (message === undefined) throw new Error(`no kind "${kind}" is known in version "${apiVersion}" as protobuf`);
  const writer = new WireWriter();
  // Field 4 is the content type and field 3 the content encoding. Kubernetes always leaves both empty.
  writer.textField(4, '');
  writer.textField(3, '');
  writer.delimited(2, () => writeMessage(writer, message, object));
  writer.delimited(1, () => {
    writer.textField(2, kind);
    writer.textField(1, apiVersion);
  });
  writer.bytes(Uint8Array.from(PROTOBUF_MAGIC));
  return writer.finish();
}

/** Encodes a watch event: its length in four bytes, followed by the event with the encoded object. */
export function encodeProtobufEvent(type: string, object: object): Uint8Array {
  const writer = new WireWriter();
  const encoded = encodeProtobuf(object);
  writer.delimited(2, () => writer.delimited(1, () => writer.bytes(encoded)));
  writer.textField(1, type);
  const { length } = writer;
  writer.bytes(Uint8Array.of(length >>> 24, length >>> 16, length >>> 8, length));
  return writer.finish();
}

const orders = new Map<string, readonly (readonly [number: number, field: Field])[]>();

/** Returns the fields of a message in reverse order, which is the order in which they are written. */
function lastToFirst(message: string): readonly (readonly [number: number, field: Field])[] {
  const known = orders.get(message) ?? [...fieldsOf(message)].sort(([a], [b]) => b - a);
  orders.set(message, known);
  return known;
}

function writeMessage(writer: WireWriter, message: string, value: unknown): void {
  const special = SPECIAL[message];
  if (special) {
    special(writer, value);
    return;
  }
  // A named list type is encoded as a message that contains only its items.
  const members = Array.isArray(value) ? { items: value } : ((value ?? {}) as JsonMap);
  for (const [number, field] of lastToFirst(message)) writeField(writer, number, field, members);
}

function writeField(writer: WireWriter, number: number, field: Field, members: JsonMap): void {
  const { type, name, isInline, isMap, isRepeated, isAlwaysWritten } = field;
  const value = isInline ? members : (members[name] ?? undefined);
  if (isMap) writeMap(writer, number, type, (value ?? {}) as JsonMap);
  else if (isRepeated) for (const item of ((value ?? []) as readonly unknown[]).toReversed()) writeValue(writer, number, type, item);
  else if (value !== undefined || isAlwaysWritten) writeValue(writer, number, type, value);
}

/** Writes a map sorted by key, so that equal maps have equal bytes. */
function writeMap(writer: WireWriter, number: number, type: string, map: JsonMap): void {
  for (const key of Object.keys(map).sort().toReversed()) {
    writer.delimited(number, () => {
      writeValue(writer, 2, type, map[key]);
      writer.textField(1, key);
    });
  }
}

/** Writes a value. An absent value is written as the zero value of its type. */
function writeValue(writer: WireWriter, number: number, type: string, value: unknown): void {
  switch (type) {
    case 'string':
      return writer.textField(number, value === undefined ? '' : String(value));
    case 'bytes':
      return writer.delimited(number, () => writer.bytes(Buffer.from(String(value ?? ''), 'base64')));
    case 'bool':
      return writer.varintField(number, value === true ? 1 : 0);
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      return writer.varintField(number, Number(value ?? 0));
    case 'double':
      writer.double(Number(value ?? 0));
      return writer.tag(number, 1);
    default:
      return writer.delimited(number, () => writeMessage(writer, type, value));
  }
}

const SCHEMA = 'apiextensions.v1.JSONSchemaProps';

/** Encoders of messages whose JSON form is not an object with the fields of the message. */
const SPECIAL: Readonly<Record<string, (writer: WireWriter, value: unknown) => void>> = {
  'api.resource.Quantity': (writer, value) => writer.textField(1, String(value ?? 0)),
  'util.intstr.IntOrString': writeIntOrString,
  'meta.v1.Time': writeTime,
  'meta.v1.MicroTime': writeTime,
  'meta.v1.Duration': (writer, value) => writer.varintField(1, value === undefined ? 0 : parseDurationNanos(String(value))),
  'pkg.runtime.RawExtension': writeRaw,
  'meta.v1.FieldsV1': writeRaw,
  'apiextensions.v1.JSON': writeRaw,
  'apiextensions.v1.JSONSchemaPropsOrArray': (writer, value) => writeUnion(writer, value, SCHEMA),
  'apiextensions.v1.JSONSchemaPropsOrStringArray': (writer, value) => writeUnion(writer, value, 'string'),
  'apiextensions.v1.JSONSchemaPropsOrBool': (writer, value) => {
    const isSchema = typeof value === 'object';
    if (isSchema) writeValue(writer, 2, SCHEMA, value);
    writeValue(writer, 1, 'bool', isSchema || value);
  },
};

/** Writes a value that is either one schema or a list. The items of a list have the type `several`. */
function writeUnion(writer: WireWriter, value: unknown, several: string): void {
  if (!Array.isArray(value)) return writeValue(writer, 1, SCHEMA, value);
  for (const item of value.toReversed()) writeValue(writer, 2, several, item);
}

function writeIntOrString(writer: WireWriter, value: unknown): void {
  const isText = typeof value === 'string';
  writer.textField(3, isText ? value : '');
  writer.varintField(2, isText ? 0 : Number(value ?? 0));
  writer.varintField(1, isText ? 1 : 0);
}

/** Writes a time. An absent time is an empty message. */
function writeTime(writer: WireWriter, value: unknown): void {
  const text = typeof value === 'string' ? value : undefined;
  const epochMs = parseTime(text);
  if (epochMs === undefined) return;
  const [, fraction = ''] = /\.(\d{1,9})/.exec(text ?? '') ?? [];
  writer.varintField(2, Number(fraction.padEnd(9, '0')));
  writer.varintField(1, Math.floor(epochMs / 1000));
}

function writeRaw(writer: WireWriter, value: unknown): void {
  if (value !== undefined) writer.textField(1, JSON.stringify(value));
}
