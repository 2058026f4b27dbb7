import { describe, expect, it } from 'vitest';
import { assertExactIntegers } from './numbers.js';

const refuses = (json: string): boolean => {
  try {
    assertExactIntegers(json);
    return false;
  } catch {
    return true;
  }
};

describe('integers that would be stored as another number', () => {
  it.each(['9007199254740993', '-9007199254740993', '9223372036854775807', '-9223372036854775808', '1152921504606846976'])(
    '%s',
    (integer) => {
      for (const json of [integer, `{"a":${integer}}`, `[1,${integer},2]`, `{"a":[{"b\\"":${integer}}]}`, ` { "a" : ${integer} } `])
        expect([json, refuses(json)]).toEqual([json, true]);
    },
  );

  it.each([
    '9007199254740991',
    '-9007199254740991',
    '9007199254740994',
    '1e20',
    '100000000000000000000',
    '9007199254740993.5',
    '9007199254740993e1',
    '-0',
    '"9007199254740993"',
    '"a\\"9007199254740993"',
    '"\\\\"',
  ])('not %s', (value) => {
    for (const json of [value, `{"a":${value}}`, `[${value},1]`]) expect([json, refuses(json)]).toEqual([json, false]);
  });

  it('not keys, and digits in them', () => expect(refuses('{"9007199254740993":1,"a 9007199254740993":"x"}')).toBe(false));
});
