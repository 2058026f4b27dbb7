import { readFileSync } from 'node:fs';
import { isJsonObject, type KubeObject } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from './decode.js';

interface Golden {
  /** Base64 of what Kubernetes' own Go serializer wrote. */
  readonly protobuf: string;
  readonly json: KubeObject;
}

const golden = JSON.parse(readFileSync(new URL('./golden.json', import.meta.url), 'utf8')) as readonly Golden[];
const bytesOf = ({ protobuf }: Golden): Uint8Array => new Uint8Array(Buffer.from(protobuf, 'base64'));

describe('protobuf', () => {
  it.each(golden.map((entry) => ({ kind: entry.json.kind, entry })))('of a $kind gives the JSON Go gives', ({ entry }) => {
    expect(decodeProtobuf(bytesOf(entry))).toEqual(withoutZeroes(entry.json));
  });

  it('that is cut short or damaged is refused, never a crash', () => {
    const anyGolden = fc.constantFrom(...golden);
    fc.assert(
      fc.property(anyGolden, fc.nat(), fc.nat(255), fc.boolean(), (entry, position, byte, isCut) => {
        const bytes = bytesOf(entry);
        const at = 4 + (position % (bytes.length - 4));
        const damaged = isCut ? bytes.slice(0, at) : bytes.with(at, byte);
        try {
          decodeProtobuf(damaged);
        } catch (error) {
          expect(['BadRequest', 'UnsupportedMediaType']).toContain((error as { reason?: string }).reason);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('of nothing Kubernetes wrote, or of a kind it does not know, is refused', () => {
    expect(() => decodeProtobuf(Buffer.from('{}'))).toThrow('does not begin with the letters k8s');
    const unknown = Buffer.concat([
      Buffer.from('k8s\0'),
      Buffer.from([0x0a, 9, 0x0a, 2, ...Buffer.from('v1'), 0x12, 3, ...Buffer.from('Foo')]),
    ]);
    expect(() => decodeProtobuf(unknown)).toThrow('Foo in v1 cannot be read as protobuf');
  });

  it('with a key called __proto__ has a key called __proto__', () => {
    const field = (number: number, bytes: Uint8Array): Buffer => Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
    const label = field(11, Buffer.concat([field(1, Buffer.from('__proto__')), field(2, Buffer.from('x'))]));
    const type = field(1, Buffer.concat([field(1, Buffer.from('v1')), field(2, Buffer.from('Namespace'))]));
    const decoded = decodeProtobuf(Buffer.concat([Buffer.from('k8s\0'), type, field(2, field(1, label))])) as unknown as KubeObject;
    expect(Object.keys(decoded.metadata.labels ?? {})).toEqual(['__proto__']);
  });
});

/** Structs that are not pointers: Go writes them into JSON even when they are empty. */
const ALWAYS_WRITTEN = [
  'metadata',
  'spec',
  'status',
  'strategy',
  'resources',
  'source',
  'reportingComponent',
  'reportingInstance',
  'allowed',
];

function withoutZeroes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutZeroes);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, withoutZeroes(member)] as const)
      .filter(([name, member]) => member !== null && !(ALWAYS_WRITTEN.includes(name) && isEmpty(member))),
  );
}

function isEmpty(value: unknown): boolean {
  return value === '' || value === false || (isJsonObject(value) && Object.keys(value).length === 0);
}
