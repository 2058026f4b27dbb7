import { formatDurationNanos, setOwn, toTime, type MutableJson } from '@outrigger/core';
import { fieldsOf, isMessage, PROTOBUF_MAGIC, type Field } from './layout.js';
import { WireReader } from './wire-reader.js';

const MAX_DEPTH = 100;

type JsonMap = Record<string, unknown>;

/**
 * Decodes Kubernetes' binary format of an object to JSON. kubectl's typed commands (`create`, `auth can-i`, …) and other Go clients send
 * built-in kinds in this format. Throws for bytes that cannot be decoded and for unknown kinds.
 */
export function decodeProtobuf(body: Uint8Array, messageOf: (apiVersion: string, kind: string) => string | undefined): JsonMap {
  if (!PROTOBUF_MAGIC.every((byte, i) => body[i] === byte)) throw new Error('provided data does not appear to be a protobuf message');
  const { apiVersion, kind, raw } = readEnvelope(body.subarray(PROTOBUF_MAGIC.length));
  const message = messageOf(apiVersion, kind);
  if (message === undefined || !isMessage(message)) throw new Error(`no kind "${kind}" is known in version "${apiVersion}" as protobuf`);
  return { apiVersion, kind, ...(readMessage(raw, message, 0) as JsonMap) };
}

/** Reads a `runtime.Unknown`: the type of the object, and its bytes. */
function readEnvelope(bytes: Uint8Array): { readonly apiVersion: string; readonly kind: string; readonly raw: Uint8Array } {
  let type: Uint8Array = new Uint8Array();
  let raw: Uint8Array = new Uint8Array();
  for (const reader = new WireReader(bytes); !reader.isDone; ) {
    const { number, wireType } = reader.tag();
    if (number === 1 && wireType === 2) type = reader.bytes();
    else if (number === 2 && wireType === 2) raw = reader.bytes();
    else reader.skip(wireType);
  }
  const names = ['', '', ''];
  for (const reader = new WireReader(type); !reader.isDone; ) {
    const { number, wireType } = reader.tag();
    if (wireType === 2 && number <= 2) names[number] = text(reader.bytes());
    else reader.skip(wireType);
  }
  return { apiVersion: names[1] ?? '', kind: names[2] ?? '', raw };
}

/** Decoders of messages whose JSON form is not an object. */
const SPECIAL: Readonly<Record<string, (bytes: Uint8Array) => MutableJson | undefined>> = {
  'api.resource.Quantity': (bytes) => String(scalars(bytes)[1] ?? '0'),
  'util.intstr.IntOrString': (bytes) => intOrString(scalars(bytes)),
  'meta.v1.Time': (bytes) => time(scalars(bytes)),
  'meta.v1.MicroTime': (bytes) => microTime(scalars(bytes)),
  'meta.v1.Duration': (bytes) => formatDurationNanos(BigInt.asIntN(64, BigInt(scalars(bytes)[1] ?? 0))),
  'pkg.runtime.RawExtension': (bytes) => rawJson(bytes),
  'meta.v1.FieldsV1': (bytes) => rawJson(bytes),
  'apiextensions.v1.JSON': (bytes) => rawJson(bytes),
};

/** Messages whose JSON form is the value of the only member that is set. */
const UNIONS: Readonly<Record<string, (members: JsonMap) => unknown>> = {
  'apiextensions.v1.JSONSchemaPropsOrArray': ({ schema, jSONSchemas }) => jSONSchemas ?? schema,
  'apiextensions.v1.JSONSchemaPropsOrBool': ({ schema, allows }) => schema ?? allows ?? false,
  'apiextensions.v1.JSONSchemaPropsOrStringArray': ({ schema, property }) => property ?? schema,
};

function readMessage(bytes: Uint8Array, message: string, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new Error('the message is nested too deeply');
  const special = SPECIAL[message];
  if (special) return special(bytes);
  const fields = fieldsOf(message);
  const result: JsonMap = {};
  for (const reader = new WireReader(bytes); !reader.isDone; ) {
    const { number, wireType } = reader.tag();
    const field = fields.get(number);
    if (field) readField(reader, field, wireType, result, depth);
    else reader.skip(wireType);
  }
  const union = UNIONS[message];
  if (union) return union(result);
  // A named list type is encoded as a message that contains only its items.
  const [only] = fields.values();
  return fields.size === 1 && only?.name === 'items' && only.type === 'string' ? (result['items'] ?? []) : result;
}

function readField(reader: WireReader, field: Field, wireType: number, result: JsonMap, depth: number): void {
  if (field.isMap) {
    const [key, value] = readMapEntry(reader.bytes(), field.type, depth);
    const map = (result[field.name] ??= {}) as JsonMap;
    setOwn(map, key, value);
    return;
  }
  const value = readValue(reader, field.type, wireType, depth);
  if (field.isInline) Object.assign(result, value);
  else if (field.isRepeated) ((result[field.name] ??= []) as unknown[]).push(value);
  else if (value !== undefined && !(field.omitsZero && isZero(value))) result[field.name] = value;
}

function readMapEntry(bytes: Uint8Array, type: string, depth: number): [string, unknown] {
  let key = '';
  let value: unknown = type === 'string' || type === 'bytes' ? '' : undefined;
  for (const reader = new WireReader(bytes); !reader.isDone; ) {
    const { number, wireType } = reader.tag();
    if (number === 1) key = text(reader.bytes());
    else if (number === 2) value = readValue(reader, type, wireType, depth);
    else reader.skip(wireType);
  }
  return [key, value ?? readMessage(new Uint8Array(), type, depth)];
}

function readValue(reader: WireReader, type: string, wireType: number, depth: number): unknown {
  switch (type) {
    case 'string':
      return text(reader.bytes());
    case 'bytes':
      return base64(reader.bytes());
    case 'bool':
      return reader.varint() !== 0n;
    case 'int32':
    case 'int64':
      return exact(BigInt.asIntN(64, reader.varint()));
    case 'uint32':
    case 'uint64':
      return exact(reader.varint());
    case 'double':
      return reader.double();
    default:
      if (wireType !== 2) throw new Error(`wrong wire type ${wireType} for ${type}`);
      return readMessage(reader.bytes(), type, depth + 1);
  }
}

/** Returns the scalar fields of a small message by number. */
function scalars(bytes: Uint8Array): Scalars {
  const found: Record<number, string | number> = {};
  for (const reader = new WireReader(bytes); !reader.isDone; ) {
    const { number, wireType } = reader.tag();
    if (wireType === 2) found[number] = text(reader.bytes());
    else if (wireType === 0) found[number] = exact(BigInt.asIntN(64, reader.varint()));
    else reader.skip(wireType);
  }
  return found;
}

function intOrString({ 1: type = 0, 2: number = 0, 3: string = '' }: Scalars): string | number {
  return type === 0 ? Number(number) : String(string);
}

type Scalars = Readonly<Record<number, string | number>>;

/** The first and last second that RFC 3339 can express, in the years 0 to 9999. */
const FIRST_SECOND = -62_167_219_200;
const LAST_SECOND = 253_402_300_799;

/** Formats a time. Go's zero time means that there is no time. */
function time({ 1: given }: Scalars): string | undefined {
  if (given === undefined) return undefined;
  const seconds = Number(given);
  if (!(seconds >= FIRST_SECOND && seconds <= LAST_SECOND)) throw new Error('a time is outside of the years 0 to 9999');
  return toTime(seconds * 1000);
}

function microTime(scalars: Scalars): string | undefined {
  const micros = Math.floor(Number(scalars[2] ?? 0) / 1000);
  return time(scalars)?.replace('Z', `.${String(micros).padStart(6, '0')}Z`);
}

function rawJson(bytes: Uint8Array): MutableJson | undefined {
  for (const reader = new WireReader(bytes); !reader.isDone; ) {
    const { number, wireType } = reader.tag();
    if (number === 1 && wireType === 2) return JSON.parse(text(reader.bytes())) as MutableJson;
    reader.skip(wireType);
  }
  return undefined;
}

function isZero(value: unknown): boolean {
  if (value === '' || value === 0 || value === false) return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function text(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Rejects an integer that would be stored as another number. */
function exact(integer: bigint): number {
  const number = Number(integer);
  if (!Number.isSafeInteger(number)) throw new Error(`this server cannot store the integer ${integer} exactly`);
  return number;
}
