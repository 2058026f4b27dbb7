import { readFileSync } from 'node:fs';
import type { KubeObject } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from './decode.js';
import { messageOf } from './kinds.js';
import { RECORDED } from './recorded.js';

const decode = (base64: string): unknown => decodeProtobuf(Buffer.from(base64, 'base64'), messageOf);

/** Go writes empty structs and null times into JSON; they mean nothing. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const isEmpty = (part: unknown): boolean => part === null || (typeof part === 'object' && Object.keys(part).length === 0);
  const members = Object.entries(value).map(([key, part]) => [key, withoutEmpty(part)] as const);
  return Object.fromEntries(members.filter(([, part]) => !isEmpty(part)));
}

interface Golden {
  /** Base64 of what Kubernetes' own Go serializer wrote. */
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
          // Words about the bytes, about text that is no UTF-8 or JSON inside of them; never a mistake of our own.
          const { name, message } = error as Error;
          expect(message.includes('not valid for encoding') ? 'Error' : name).toMatch(/^(Syntax)?Error$/);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('with a time no calendar has is refused', () => {
    const bytes = new Uint8Array(Buffer.from(golden.find(({ json }) => json.kind === 'Secret')?.protobuf ?? '', 'base64'));
    // creationTimestamp is field 8, of 8 bytes; its field 1 are the seconds: here 2^49.
    bytes.set([255, 255, 255, 255, 255, 255, 127], Buffer.from(bytes).indexOf(Buffer.from([0x42, 8, 8])) + 3);
    expect(() => decodeProtobuf(bytes, messageOf)).toThrow('a time is outside of the years 0 to 9999');
  });

  it.each(RECORDED)('reads a $kind as a real server means it', ({ bytes, object }) => {
    expect(withoutEmpty(decode(bytes))).toEqual(withoutEmpty(object));
  });

  it.each(RECORDED)('refuses a $kind cut anywhere, or reads less of it, but never fails otherwise', ({ bytes }) => {
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
});
