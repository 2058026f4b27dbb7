import { toMicroTime, toTime } from '@outrigger/core';
import { readFields, type WireField } from './wire.js';

/** Messages whose JSON is not an object of their fields. Undefined stands for a zero value. */
export const SPECIAL: Readonly<Record<string, (bytes: Uint8Array) => unknown>> = {
  'meta.v1.Time': (bytes) => time(bytes, toTime),
  'meta.v1.MicroTime': (bytes) => time(bytes, toMicroTime),
  'meta.v1.Duration': (bytes) => (bytes.length === 0 ? undefined : `${Number(integer(bytes, 1)) / 1e9}s`),
  'meta.v1.FieldsV1': (bytes) => json(bytes, 1),
  'meta.v1.Verbs': (bytes) => strings(bytes),
  'resource.Quantity': (bytes) => text(bytes, 1),
  'runtime.RawExtension': (bytes) => json(bytes, 1),
  'intstr.IntOrString': (bytes) => (integer(bytes, 1) === 1n ? (text(bytes, 3) ?? '') : Number(BigInt.asIntN(32, integer(bytes, 2)))),
  'authentication.v1.ExtraValue': (bytes) => strings(bytes),
  'authorization.v1.ExtraValue': (bytes) => strings(bytes),
  'certificates.v1.ExtraValue': (bytes) => strings(bytes),
  'apiextensions.v1.JSON': (bytes) => json(bytes, 1),
};

const decoder = new TextDecoder('utf-8', { fatal: true });

export function decodeText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

function find(bytes: Uint8Array, number: number): WireField['value'] | undefined {
  let found: WireField['value'] | undefined;
  for (const field of readFields(bytes)) if (field.number === number) found = field.value;
  return found;
}

function integer(bytes: Uint8Array, number: number): bigint {
  const value = find(bytes, number);
  return typeof value === 'bigint' ? BigInt.asIntN(64, value) : 0n;
}

function text(bytes: Uint8Array, number: number): string | undefined {
  const value = find(bytes, number);
  return value instanceof Uint8Array ? decodeText(value) : undefined;
}

function strings(bytes: Uint8Array): string[] {
  return [...readFields(bytes)].flatMap(({ number, value }) => (number === 1 && value instanceof Uint8Array ? [decodeText(value)] : []));
}

function json(bytes: Uint8Array, number: number): unknown {
  const value = text(bytes, number);
  return value === undefined || value === '' ? undefined : (JSON.parse(value) as unknown);
}

function time(bytes: Uint8Array, write: (epochMs: number) => string): string | undefined {
  if (bytes.length === 0) return undefined;
  return write(Number(integer(bytes, 1)) * 1000 + Number(integer(bytes, 2)) / 1e6);
}
