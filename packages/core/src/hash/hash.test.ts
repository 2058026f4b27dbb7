import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, sha256Hex, specHash } from './index.js';

describe('canonicalJson', () => {
  const cases: readonly [name: string, value: unknown, want: string][] = [
    ['sorts keys at every level and adds no spaces', { b: [{ d: 1, c: 2 }], a: true }, '{"a":true,"b":[{"c":2,"d":1}]}'],
    ['escapes the characters that Go escapes for HTML', { a: 'x<y>&\u2028\u2029' }, '{"a":"x\\u003cy\\u003e\\u0026\\u2028\\u2029"}'],
    ['escapes keys too', { 'a&b': 1 }, '{"a\\u0026b":1}'],
    ['uses short escapes for control characters', '\b\f\n\r\t\u0001"\\', '"\\b\\f\\n\\r\\t\\u0001\\"\\\\"'],
    ['writes other text as it is', 'é\u007f/\u{1f6a2}', '"é\u007f/\u{1f6a2}"'],
    ['writes integers as integers', [1, -5, 9007199254740991, 100000000000000000000], '[1,-5,9007199254740991,100000000000000000000]'],
    ['writes bigints exactly', 9223372036854775807n, '9223372036854775807'],
    ['writes floats in the shortest form', [0.1, 1.5e300, 1e21, 1e-6, 1e-7, 123456.789], '[0.1,1.5e+300,1e+21,0.000001,1e-7,123456.789]'],
    ['writes minus zero as zero', -0, '0'],
    ['drops undefined members, keeps null', { a: undefined, b: null }, '{"b":null}'],
    ['orders keys by UTF-8 bytes, not by UTF-16 units', { '\u{1f6a2}': 1, '\uff5e': 2, a: 3 }, '{"a":3,"\uff5e":2,"\u{1f6a2}":1}'],
    ['replaces half a surrogate pair', 'a\ud800b', '"a\ufffdb"'],
    ['keeps an own __proto__ key', JSON.parse('{"__proto__":1,"a":2}'), '{"__proto__":1,"a":2}'],
  ];
  it.each(cases)('%s', (_name, value, want) => expect(canonicalJson(value)).toBe(want));

  it('refuses values that JSON cannot represent', () => {
    expect(() => canonicalJson(Number.NaN)).toThrow('NaN');
    expect(() => canonicalJson({ a: () => 1 })).toThrow('function');
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(() => canonicalJson(cycle)).toThrow('deeper than 1000');
  });

  it('means the same as the value, whatever the key order', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(canonicalJson(plain))).toEqual(plain);
      }),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.integer()), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse());
        expect(canonicalJson(reversed)).toBe(canonicalJson(object));
      }),
    );
  });

  it('sorts keys as bytes of UTF-8', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(
          fc.string({ unit: fc.constantFrom('a', 'é', '\ud7ff', '\ue000', '\uff5e', '\u{1f6a2}', '\u{10ffff}'), maxLength: 3 }),
          { maxLength: 6 },
        ),
        (keys) => {
          const written = Object.keys(JSON.parse(canonicalJson(Object.fromEntries(keys.map((key) => [`k${key}`, 1])))) as object);
          const bytes = written.map((key) => Buffer.from(key, 'utf8'));
          expect(bytes.slice(1).every((key, i) => Buffer.compare(bytes[i] as Buffer, key) < 0)).toBe(true);
        },
      ),
    );
  });
});

describe('sha256Hex', () => {
  it('equals the platform digest for texts and bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const want = createHash('sha256').update(text, 'utf8').digest('hex');
        expect(sha256Hex(text)).toBe(want);
        expect(sha256Hex(new TextEncoder().encode(text))).toBe(want);
      }),
    );
  });
});

describe('specHash', () => {
  const identity = { apiVersion: 'v1', kind: 'K', metadata: { name: 'n', generation: 3 }, status: { phase: 'x' } };
  const adc = {
    spec: { agentInstallNamespace: 'open-cluster-management-agent-addon', customizedVariables: [{ name: 'A', value: 'a<b&c' }] },
  };
  const vectors: readonly [name: string, remainder: Record<string, unknown>, want: string][] = [
    ['nothing', {}, '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'],
    ['a spec', { spec: { test: 1 } }, 'af144391b79b4b07bd7c579980ae9ed42dc8e34f7babebbf3fd08cacb578fba4'],
    ['data', { data: { test: 1 } }, '766dd25b5177d7bd3673d1bc2d015b74f9fefec024319e5b6a49eef9236bbfa1'],
    [
      'an add-on template',
      { spec: { addonName: '', agentSpec: { workload: {} }, registration: null } },
      '3c2de0761c7df5d6a864280a8aa44d1f4d91eecbbcd2ce5af3efb4b76d91d3cd',
    ],
    [
      'a deployment config with its default namespace',
      { spec: { agentInstallNamespace: 'open-cluster-management-agent-addon' } },
      'd18a79b7b556192a80b3023546cd8346114f2dec27fb39707e6193a0130e4b39',
    ],
    ['a deployment config with characters that are escaped', adc, '045a641e3bd31053b149d504ce6fcc00cae8c57960bed7a140da013c8e18dbe0'],
  ];
  it.each(vectors)('%s', (_name, remainder, want) => {
    expect(specHash(remainder)).toBe(want);
    expect(specHash({ ...identity, ...remainder })).toBe(want);
  });
});
