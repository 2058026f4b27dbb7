import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineSplitter } from './lines.js';

function split(chunks: readonly Uint8Array[], maxBytes = 1_000_000): string[] {
  const splitter = createLineSplitter(maxBytes);
  const lines = chunks.flatMap((chunk) => splitter.push(chunk));
  const rest = splitter.rest();
  return rest === undefined ? lines : [...lines, rest];
}

describe('line splitter', () => {
  it('gives the same lines however the bytes are cut', () => {
    const lines = fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' ')));
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 9 }), (wanted, cut) => {
        const bytes = Buffer.from(wanted.join('\n'));
        const chunks = Array.from({ length: Math.ceil(bytes.length / cut) }, (_, i) => bytes.subarray(i * cut, (i + 1) * cut));
        expect(split(chunks)).toEqual(
          bytes
            .toString()
            .split('\n')
            .filter((line) => line !== ''),
        );
      }),
    );
  });

  it('refuses a line longer than the bound, complete or not', () => {
    expect(() => split([Buffer.from('123456\n')], 5)).toThrow('longer than 5 bytes');
    expect(() => split([Buffer.from('123'), Buffer.from('456')], 5)).toThrow('longer than 5 bytes');
    expect(split([Buffer.from('123'), Buffer.from('45\n12345\n')], 5)).toEqual(['12345', '12345']);
  });
});
