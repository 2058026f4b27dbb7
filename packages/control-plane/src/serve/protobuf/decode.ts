import { ApiError, errorMessage, type JsonObject } from '@outrigger/core';
import { type Field, fieldsOf, isMessage } from './fields.js';
import { decodeText, SPECIAL } from './special.js';
import { readFields, type WireField } from './wire.js';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Every body starts with this, then an envelope that names the kind and holds the object. */
const MAGIC = [0x6b, 0x38, 0x73, 0x00];
const ENVELOPE = { type: 1, object: 2 } as const;
const MAX_DEPTH = 100;

/**
 * Reads a body in Kubernetes' protobuf, which kubectl and Go programs write for built-in kinds, into the JSON it stands for. Throws
 * BadRequest on damaged bytes and UnsupportedMediaType on kinds that have no protobuf here.
 */
export function decodeProtobuf(body: Uint8Array): JsonObject {
  if (!MAGIC.every((byte, i) => body[i] === byte)) throw malformed('it does not begin with the letters k8s');
  try {
    return decodeEnvelope(body.subarray(MAGIC.length));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw malformed(errorMessage(error));
  }
}

function decodeEnvelope(bytes: Uint8Array): JsonObject {
  const envelope = new Map([...readFields(bytes)].map(({ number, value }) => [number, value]));
  const type = new Map(
    [...readFields(bytesOf(envelope.get(ENVELOPE.type)))].map(({ number, value }) => [number, decodeText(bytesOf(value))]),
  );
  const [apiVersion = '', kind = ''] = [type.get(1), type.get(2)];
  const message = messageOf(apiVersion, kind);
  if (message === undefined) {
    const accepted = 'application/json, application/yaml';
    throw new ApiError(
      'UnsupportedMediaType',
      `${kind} in ${apiVersion} cannot be read as protobuf - accepted media types include: ${accepted}`,
    );
  }
  return { apiVersion, kind, ...decodeMessage(message, bytesOf(envelope.get(ENVELOPE.object)), 0) };
}

/** Packages are named after the first word of the group; options of requests come under any group's name. */
function messageOf(apiVersion: string, kind: string): string | undefined {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const own = `${group === '' ? 'core' : group.split('.')[0]}.${version}.${kind}`;
  return [own, `meta.v1.${kind}`].find(isMessage);
}

type Members = Record<string, unknown>;

function decodeMessage(message: string, bytes: Uint8Array, depth: number): JsonObject {
  if (depth > MAX_DEPTH) throw new Error(`messages are nested more than ${MAX_DEPTH} deep`);
  const fields = fieldsOf(message);
  // Without a prototype a key called `__proto__` is one more key.
  const result = Object.create(null) as Members;
  for (const { number, value } of readFields(bytes)) {
    const field = fields.get(number);
    if (field) add(result, field, value, depth);
  }
  return { ...result } as JsonObject;
}

function add(result: Members, field: Field, value: WireField['value'], depth: number): void {
  if (field.shape === 'map') {
    const [key, entry] = mapEntry(field, bytesOf(value), depth);
    const map = (result[field.name] ??= Object.create(null) as Members) as Members;
    map[key] = entry;
  } else if (field.shape === 'list') {
    const list = (result[field.name] ??= []) as unknown[];
    list.push(decodeValue(field.type, value, depth) ?? {});
  } else {
    addSingle(result, field, decodeValue(field.type, value, depth));
  }
}

/** A field that is not a pointer is always sent; its zero value is what JSON leaves out. */
function addSingle(result: Members, field: Field, value: unknown): void {
  if (field.name === '.') Object.assign(result, value);
  else if (field.isPointer || !isZero(value)) result[field.name] = value ?? {};
}

function isZero(value: unknown): boolean {
  if (value === undefined || value === '' || value === 0 || value === false) return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function mapEntry(field: Field, bytes: Uint8Array, depth: number): [string, unknown] {
  const parts = new Map([...readFields(bytes)].map(({ number, value }) => [number, value]));
  const value = parts.get(2);
  return [decodeText(bytesOf(parts.get(1))), value === undefined ? emptyOf(field.type) : decodeValue(field.type, value, depth)];
}

function emptyOf(type: string): unknown {
  return type === 's' || type === 'y' ? '' : {};
}

function decodeValue(type: string, value: WireField['value'], depth: number): unknown {
  switch (type) {
    case 's':
      return decodeText(bytesOf(value));
    case 'y':
      return Buffer.from(bytesOf(value)).toString('base64');
    case 'b':
      return numberOf(value) !== 0n;
    case 'i':
      return Number(BigInt.asIntN(64, numberOf(value)));
    case 'u':
      return Number(numberOf(value));
    case 'd':
      return new Float64Array(BigUint64Array.of(numberOf(value)).buffer)[0];
    default:
      return Object.hasOwn(SPECIAL, type) ? SPECIAL[type]?.(bytesOf(value)) : decodeMessage(type, bytesOf(value), depth + 1);
  }
}

function bytesOf(value: WireField['value'] | undefined): Uint8Array {
  if (value === undefined) return new Uint8Array(0);
  if (value instanceof Uint8Array) return value;
  throw new Error('a number where text or a message should be');
}

function numberOf(value: WireField['value']): bigint {
  if (typeof value === 'bigint') return value;
  throw new Error('text or a message where a number should be');
}

function malformed(why: string): ApiError {
  return new ApiError('BadRequest', `the body of the request is not protobuf as Kubernetes writes it: ${why}`);
}
