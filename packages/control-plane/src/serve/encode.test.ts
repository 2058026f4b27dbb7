import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHUNK_BYTES, encodeBody } from './encode.js';

const text = (body: unknown, type = 'application/json'): string => Buffer.concat([...encodeBody(body, type)]).toString();

describe('encoding an answer', () => {
  it('gives back any JSON, in pieces no larger than one write may be', () => {
    const big = fc.array(fc.record({ name: fc.string({ unit: 'binary' }), pad: fc.nat(200).map((n) => 'é'.repeat(n * 100)) }), {
      maxLength: 30,
    });
    const body = fc.oneof(
      fc.jsonValue().filter((value) => typeof value !== 'string'),
      fc.record({ kind: fc.constant('List'), items: big }),
      fc.record({ rows: big }),
      fc.record({ items: fc.constant([]) }),
    );
    fc.assert(
      fc.property(body, (value) => {
        const pieces = [...encodeBody(value, 'application/json')];
        expect(pieces.every(({ length }) => length <= CHUNK_BYTES)).toBe(true);
        expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 60 },
    );
  });

  it('leaves text and bytes unchanged, and writes YAML on request', () => {
    expect(text('ok', 'text/plain')).toBe('ok');
    expect(text(Buffer.from('raw'), 'application/octet-stream')).toBe('raw');
    expect(text({ kind: 'X', list: [1] }, 'application/yaml')).toBe('kind: X\nlist:\n- 1\n');
    expect(text(undefined)).toBe('');
  });
});
