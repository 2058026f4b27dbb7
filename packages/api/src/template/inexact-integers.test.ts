import { describe, expect, it } from 'vitest';
import { inexactInteger } from './inexact-integers.js';

describe('integers that JavaScript does not read exactly', () => {
  it.each<[string, string | undefined]>([
    ['{"a":9007199254740991,"b":-9007199254740991}', undefined],
    ['{"a":9007199254740993}', 'a'],
    ['{"a":-9007199254740992}', 'a'],
    ['{"a":[0,{"b.c":9223372036854775807}]}', 'a[1][b.c]'],
    ['{"a":9007199254740993,"b":9007199254740993}', 'a'],
    // Every API server reads these integers as floats.
    ['{"a":1e300,"b":18446744073709551616,"c":1.5}', undefined],
    ['{"a":"9007199254740993"}', undefined],
  ])('%s: %s', (json, want) => expect(inexactInteger(JSON.parse(json))).toBe(want));
});
