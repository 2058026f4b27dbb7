import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InternTable } from './intern.js';

describe('sharing equal values', () => {
  it('returns a value equal to the one given, whatever was given before', () => {
    const value = fc.oneof(fc.string(), fc.jsonValue());
    const values = fc.array(
      fc.oneof(
        value,
        value.map((one) => JSON.stringify(one)),
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(values, (list) => {
        const table = new InternTable({ values: 8, chars: 200 });
        const texts = list.flatMap((one) => [one, JSON.stringify(one), one]);
        for (const one of texts) expect(table.intern(one)).toEqual(one);
      }),
    );
  });

  it.each(['[]', '{}', '{"a":1}', 'null'])('the text %s and the value it describes are two values', (text) => {
    const table = new InternTable();
    const described = JSON.parse(text) as unknown;
    for (const order of [text, described, text]) expect(table.intern(order)).toEqual(order);
  });

  it('keeps one of equal values', () => {
    const { intern } = new InternTable();
    const first = intern({ a: [1] });
    expect(intern({ a: [1] })).toBe(first);
  });
});
