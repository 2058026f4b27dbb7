import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ListDecoder } from './list-decoder.js';

function decode(text: string, chunkBytes: number): unknown {
  const decoder = new ListDecoder();
  const bytes = Buffer.from(text);
  for (let i = 0; i < bytes.length; i += chunkBytes) decoder.push(bytes.subarray(i, i + chunkBytes));
  return decoder.end();
}

describe('list decoder', () => {
  const texts = [
    { name: 'a list', text: '{"kind":"List","metadata":{"resourceVersion":"7"},"items":[{"a":1},{"b":[2,{"items":[3]}]}]}' },
    { name: 'items first', text: '{"items":[{"a":1}],"kind":"List"}' },
    { name: 'no items', text: '{"kind":"List","items":[]}' },
    { name: 'blank items', text: '{"items":[ \n ]}' },
    { name: 'null items', text: '{"items":null,"kind":"List"}' },
    { name: 'items that are not an array', text: '{"items":{"a":[1,2]}}' },
    { name: 'a deeper items', text: '{"spec":{"items":[1,2]},"x":[{"items":[1]}]}' },
    { name: 'items as a value', text: '{"x":"items","y":[1,2]}' },
    { name: 'a key that only begins like items', text: '{"item":[1],"itemsx":[2],"xitems":[3]}' },
    { name: 'an escaped spelling of items', text: '{"\\u0069tems":[1,2]}' },
    { name: 'items given twice', text: '{"items":[1,2],"items":[3]}' },
    { name: 'items given twice, the last no array', text: '{"items":[1,2],"items":"none"}' },
    { name: 'brackets, quotes and backslashes in strings', text: '{"items":["]","[","}","\\"","\\\\",",",{"a\\"b":"]"}]}' },
    { name: 'several bytes a character', text: '{"items":["åéß","日本","🦀"]}' },
    { name: 'scalars and whitespace between elements', text: '{ "items" : [ 1 , true , null , "x" , [ ] , { } ] }' },
    { name: 'an array', text: '[{"items":[1,2]},3]' },
    { name: 'a scalar', text: '"items"' },
  ];
  it.each(texts)('$name comes out as JSON.parse gives it, however it is cut', ({ text }) => {
    for (const chunkBytes of [1, 2, 3, 7, text.length * 4]) expect(decode(text, chunkBytes)).toEqual(JSON.parse(text));
  });

  const broken = [
    '{"items":[1,]}',
    '{"items":[,1]}',
    '{"items":[1,,2]}',
    '{"items":[{"a":]}]}',
    '{"items":[1',
    '{"items":[1]',
    '',
    '{"items":[1]}x',
  ];
  it.each(broken)('%j is refused as JSON.parse refuses it', (text) => {
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    expect(() => decode(text, 3)).toThrow(SyntaxError);
  });

  it('agrees with JSON.parse on any value and any cut', () => {
    const value = fc.oneof(
      fc.json(),
      fc.array(fc.jsonValue()).map((items) => JSON.stringify({ kind: 'List', items, metadata: {} })),
    );
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 20 }), (text, cut) => {
        expect(decode(text, cut)).toEqual(JSON.parse(text));
      }),
    );
  });
});
