import { readFileSync } from 'node:fs';
import type { KubeObject } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from './decode.js';
import { encodeProtobuf, encodeProtobufEvent } from './encode.js';
import { ROOTS } from '../schemas/generated/resources.js';
import { messageOf } from './kinds.js';
import { fieldsOf } from './layout.js';
import { RECORDED } from './fixtures-recorded.js';

const decode = (base64: string): unknown => decodeProtobuf(Buffer.from(base64, 'base64'), messageOf);

/** Removes empty structs and null times, which Go writes into JSON. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const isEmpty = (part: unknown): boolean => part === null || (typeof part === 'object' && Object.keys(part).length === 0);
  const members = Object.entries(value).map(([key, part]) => [key, withoutEmpty(part)] as const);
  return Object.fromEntries(members.filter(([, part]) => !isEmpty(part)));
}

interface Golden {
  /** The output of Kubernetes' Go serializer, in base64. */
  readonly protobuf: string;
  readonly json: KubeObject;
}
const golden = JSON.parse(readFileSync(new URL('./golden.json', import.meta.url), 'utf8')) as readonly Golden[];

describe('protobuf', () => {
  it.each(golden.map(({ protobuf, json }) => ({ kind: json.kind, protobuf, json })))(
    'of a $kind gives the JSON Go gives',
    ({ protobuf, json }) => {
      expect(withoutEmpty(decode(protobuf))).toEqual(withoutEmpty(json));
    },
  );

  it('that is damaged is refused with an Error, never a crash', () => {
    fc.assert(
      fc.property(fc.constantFrom(...golden), fc.nat(), fc.nat(255), ({ protobuf }, position, byte) => {
        const bytes = new Uint8Array(Buffer.from(protobuf, 'base64'));
        const at = 4 + (position % (bytes.length - 4));
        try {
          decodeProtobuf(bytes.with(at, byte), messageOf);
        } catch (error) {
          // The error must be about the bytes, or about invalid UTF-8 or JSON in them. It must not be a defect such as a TypeError.
          const { name, message } = error as Error;
          expect(message.includes('not valid for encoding') ? 'Error' : name).toMatch(/^(Syntax)?Error$/);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('with an invalid time is refused', () => {
    const bytes = new Uint8Array(Buffer.from(golden.find(({ json }) => json.kind === 'Secret')?.protobuf ?? '', 'base64'));
    // The creationTimestamp is field 8 and has 8 bytes. Its field 1 contains the seconds, here 2^49.
    bytes.set([255, 255, 255, 255, 255, 255, 127], Buffer.from(bytes).indexOf(Buffer.from([0x42, 8, 8])) + 3);
    expect(() => decodeProtobuf(bytes, messageOf)).toThrow('a time is outside of the years 0 to 9999');
  });

  it.each(RECORDED)('decodes a $kind like a real server', ({ bytes, object }) => {
    expect(withoutEmpty(decode(bytes))).toEqual(withoutEmpty(object));
  });

  it.each(RECORDED)('refuses or partly decodes a truncated $kind, and fails in no other way', ({ bytes }) => {
    const whole = Buffer.from(bytes, 'base64');
    for (let length = 0; length < whole.length; length++) {
      try {
        decodeProtobuf(whole.subarray(0, length), messageOf);
      } catch (error) {
        expect((error as Error).message).toMatch(/unexpected EOF|does not appear to be|no kind|wire type|not valid for encoding/);
      }
    }
  });

  it('refuses kinds that have no binary form', () => {
    const [{ bytes } = { bytes: '' }] = RECORDED;
    expect(() => decodeProtobuf(Buffer.from(bytes, 'base64'), () => undefined)).toThrow(
      'no kind "Deployment" is known in version "apps/v1" as protobuf',
    );
  });

  it.each([
    ...RECORDED.map(({ kind, bytes, object }) => ({ kind, protobuf: bytes, json: object })),
    ...golden.map((one) => ({ kind: one.json.kind, ...one })),
  ])('is written of a $kind as Go writes it', ({ protobuf, json }) => {
    expect(Buffer.from(encodeProtobuf(json as object)).toString('base64')).toBe(protobuf);
  });

  it('decodes the objects that it encodes', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(ROOTS)), fc.infiniteStream(fc.nat(0xffffffff)), (root, numbers) => {
        const [group = '', version = '', kind = ''] = root.split('/');
        const apiVersion = group === '' ? version : `${group}/${version}`;
        const object = { ...(sampleOf(ROOTS[root] ?? '', numbers, 0) as object), apiVersion, kind };
        expect(withoutEmpty(decodeProtobuf(encodeProtobuf(object), messageOf))).toEqual(withoutEmpty(object));
      }),
      { numRuns: 200 },
    );
  });

  it('keeps a byte order mark at the start of a text', () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { '\ufeffk': '\ufeffv' } };
    expect(decodeProtobuf(encodeProtobuf(object), messageOf)).toMatchObject({ data: { '\ufeffk': '\ufeffv' } });
  });

  it('of an event is framed by its length', () => {
    const status = { kind: 'Status', apiVersion: 'v1', code: 410 };
    const frame = Buffer.from(encodeProtobufEvent('ERROR', status));
    expect([frame.readUInt32BE(0), frame.subarray(4, 11).toString()]).toEqual([frame.length - 4, '\n\x05ERROR']);
    expect(decodeProtobuf(frame.subarray(frame.indexOf('k8s')), messageOf)).toMatchObject(status);
  });

  it('is not written for kinds without a binary form', () => {
    expect(() => encodeProtobuf({ apiVersion: 'example.com/v1', kind: 'Widget' })).toThrow(
      'no kind "Widget" is known in version "example.com/v1" as protobuf',
    );
  });
});

/** Returns a sample value of a message, determined by `numbers`. Fields that Go always writes are present, and no other field is zero. */
function sampleOf(type: string, numbers: Iterator<number>, depth: number): unknown {
  const next = (): number => Number(numbers.next().value) + 1;
  const leaf = LEAVES[type];
  if (leaf) return leaf(next());
  const fields = [...fieldsOf(type).values()];
  if (fields.length === 1 && fields[0]?.name === 'items' && fields[0].type === 'string') return [`item${next()}`];
  const result: Record<string, unknown> = {};
  for (const { name, type: inner, isInline, isMap, isRepeated, isAlwaysWritten, omitsZero } of fields) {
    const isMust = isAlwaysWritten && (!omitsZero || inner === QUANTITY || !Object.hasOwn(LEAVES, inner));
    // Below a depth of 6 only required fields are set, because some messages contain themselves.
    if (!isMust && (depth > 6 || next() % 3 > 0)) continue;
    const value = sampleOf(inner, numbers, depth + 1);
    if (isInline) Object.assign(result, value);
    else result[name] = isMap ? { [`key${next()}`]: value, '': value } : isRepeated ? [value, value] : value;
  }
  return result;
}

const QUANTITY = 'api.resource.Quantity';
const LEAVES: Readonly<Record<string, (number: number) => unknown>> = {
  string: (number) => `é${number}`,
  bytes: (number) => Buffer.from(`${number}`).toString('base64'),
  bool: () => true,
  int32: (number) => (number % 2 ? number : -number),
  int64: (number) => (number % 2 ? number * 2 ** 20 : -number),
  uint32: (number) => number,
  uint64: (number) => number,
  double: (number) => number / 7,
  [QUANTITY]: (number) => `${number}Mi`,
  'util.intstr.IntOrString': (number) => (number % 2 ? number : `${number}%`),
  'meta.v1.Time': (number) => new Date(number * 1000).toISOString().replace('.000Z', 'Z'),
  'meta.v1.MicroTime': (number) => new Date(number * 1000).toISOString().replace('.000Z', `.${String(number % 1e6).padStart(6, '0')}Z`),
  'meta.v1.Duration': (number) => `${(number % 59) + 1}s`,
  'pkg.runtime.RawExtension': (number) => ({ number }),
  'meta.v1.FieldsV1': (number) => ({ [`f:${number}`]: { number } }),
  'apiextensions.v1.JSON': (number) => [number],
  'apiextensions.v1.JSONSchemaProps': (number) => ({ type: 'object', maximum: number, default: { number } }),
  'apiextensions.v1.JSONSchemaPropsOrArray': (number) => (number % 2 ? { type: 'string' } : [{ type: 'string' }]),
  'apiextensions.v1.JSONSchemaPropsOrBool': (number) => (number % 2 ? { type: 'string' } : true),
  'apiextensions.v1.JSONSchemaPropsOrStringArray': (number) => (number % 2 ? { type: 'string' } : ['a']),
};
