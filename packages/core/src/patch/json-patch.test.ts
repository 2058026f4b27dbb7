import fc from 'fast-check';
import fastJsonPatch from 'fast-json-patch';
import { describe, expect, it } from 'vitest';
import { isApiError } from '../errors.js';
import { deepEqual, deepFreeze } from './equal.js';
import { jsonPatch } from './json-patch.js';

const document = deepFreeze({ spec: { a: '1', 'x/y': '2', 'm~n': '3', list: ['p', 'q'], inner: { deep: [1, { z: 1 }] } } });

const RESULTS: [string, unknown[], unknown][] = [
  ['adds a member', [{ op: 'add', path: '/b', value: 1 }], { a: 1, list: [1, 2], b: 1 }],
  ['adds at the end of a list', [{ op: 'add', path: '/list/-', value: 3 }], { a: 1, list: [1, 2, 3] }],
  ['adds inside a list', [{ op: 'add', path: '/list/0', value: 0 }], { a: 1, list: [0, 1, 2] }],
  ['counts a negative index from the end', [{ op: 'remove', path: '/list/-1' }], { a: 1, list: [1] }],
  ['replaces a member that is absent', [{ op: 'replace', path: '/b', value: 1 }], { a: 1, list: [1, 2], b: 1 }],
  ['moves', [{ op: 'move', from: '/a', path: '/list/1' }], { list: [1, 1, 2] }],
  [
    'copies',
    [
      { op: 'copy', from: '/list', path: '/b' },
      { op: 'remove', path: '/b/0' },
    ],
    { a: 1, list: [1, 2], b: [2] },
  ],
  [
    'a copy does not change with its source',
    [
      { op: 'add', path: '/list/-', value: 3 },
      { op: 'copy', from: '/list', path: '/b' },
      { op: 'add', path: '/list/-', value: 4 },
    ],
    { a: 1, list: [1, 2, 3, 4], b: [1, 2, 3] },
  ],
  ['an absent member tests equal to null', [{ op: 'test', path: '/b', value: null }], { a: 1, list: [1, 2] }],
  ['replaces the whole document', [{ op: 'replace', path: '', value: { z: 1 } }], { z: 1 }],
];

const REFUSALS: [unknown[], string][] = [
  [[{ op: 'test', path: '/spec/a', value: '2' }], 'testing value /spec/a failed: test failed'],
  [[{ op: 'test', path: '/nope/x', value: 1 }], 'test operation does not apply: is missing path: /nope/x: missing value'],
  [[{ op: 'remove', path: '/spec/zz' }], "error in remove for path: '/spec/zz': Unable to remove nonexistent key: zz: missing value"],
  [
    [{ op: 'remove', path: '/spec/list/5' }],
    "error in remove for path: '/spec/list/5': Unable to access invalid index: 5: invalid index referenced",
  ],
  [[{ op: 'remove', path: '/spec/list/x' }], `error in remove for path: '/spec/list/x': strconv.Atoi: parsing "x": invalid syntax`],
  [
    [{ op: 'add', path: '/spec/list/9', value: 1 }],
    "error in add for path: '/spec/list/9': Unable to access invalid index: 9: invalid index referenced",
  ],
  [[{ op: 'add', path: 'spec', value: 1 }], 'add operation does not apply: doc is missing path: "spec": missing value'],
  [
    [{ op: 'replace', path: '/spec/list/7', value: 1 }],
    'replace operation does not apply: doc is missing key: /spec/list/7: missing value',
  ],
  [
    [{ op: 'move', from: '/spec/zz', path: '/spec/b' }],
    "error in move for path: 'zz': Unable to remove nonexistent key: zz: missing value",
  ],
  [[{ op: 'copy', from: '/q/z', path: '/spec/b' }], 'copy operation does not apply: doc is missing from path: /q/z: missing value'],
  [[{ op: 'remove' }], 'remove operation failed to decode path: missing value'],
  [[{ op: 'foo', path: '/spec' }], 'Unexpected kind: foo'],
];

function refusal(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    if (isApiError(error))
      return { code: error.code, reason: error.reason, why: error.cause instanceof Error ? error.cause.message : error.message };
    throw error;
  }
  return 'accepted';
}

describe('jsonPatch', () => {
  it.each(RESULTS)('%s', (_, patch, want) => {
    expect(jsonPatch(deepFreeze({ a: 1, list: [1, 2] }), patch)).toEqual(want);
  });

  it.each(REFUSALS)('%j is refused as Invalid', (patch, why) => {
    expect(refusal(() => jsonPatch(document, patch))).toEqual({ code: 422, reason: 'Invalid', why });
  });

  it('a body that is no patch is a bad request', () => {
    const why = 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp';
    expect(refusal(() => jsonPatch({}, {}))).toEqual({ code: 400, reason: 'BadRequest', why });
    expect(refusal(() => jsonPatch({}, [5]))).toMatchObject({ code: 400 });
    expect(
      refusal(() =>
        jsonPatch(
          {},
          Array.from({ length: 10_001 }, () => ({ op: 'test' })),
        ),
      ),
    ).toMatchObject({ code: 413 });
  });

  it('reads escaped names and leaves untouched parts shared', () => {
    const patched = jsonPatch<typeof document>(document, [
      { op: 'test', path: '/spec/x~1y', value: '2' },
      { op: 'replace', path: '/spec/m~0n', value: '4' },
    ]);
    expect(patched.spec['m~n']).toBe('4');
    expect(patched.spec.inner).toBe(document.spec.inner);
  });

  it('changes nothing when a later operation fails', () => {
    const before = structuredClone(document);
    expect(() =>
      jsonPatch(document, [
        { op: 'remove', path: '/spec/a' },
        { op: 'test', path: '/spec/a', value: 1 },
      ]),
    ).toThrow('the server rejected our request');
    expect(document).toEqual(before);
  });

  it('treats __proto__ in paths as data', () => {
    const patched = jsonPatch<object>({}, [{ op: 'add', path: '/__proto__', value: { polluted: 1 } }]);
    expect(Object.hasOwn(patched, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(() => jsonPatch({}, [{ op: 'add', path: '/constructor/prototype/polluted', value: 1 }])).toThrow(
      'the server rejected our request',
    );
  });

  it('stops copies that double at every step', () => {
    const steps = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '', path: `/c${i}` })).map((op) => ({ ...op, from: '/a' }));
    const bomb = steps.flatMap((op, i) => [op, { op: 'copy', from: `/c${i}`, path: '/a/-' }, { op: 'copy', from: `/c${i}`, path: '/a/-' }]);
    expect(refusal(() => jsonPatch({ a: ['x'.repeat(100)] }, bomb))).toMatchObject({
      code: 422,
      why: expect.stringContaining('exceeding the limit'),
    });
  });

  it('agrees with another implementation on patches made by comparing documents', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const object = fc.dictionary(fc.string({ maxLength: 3 }), value, { maxKeys: 4 }).map((o) => JSON.parse(JSON.stringify(o)) as object);
    fc.assert(
      fc.property(object, object, (from, to) => {
        const patch = fastJsonPatch.compare(from, to);
        return deepEqual(jsonPatch(deepFreeze(structuredClone(from)), patch), to);
      }),
      { numRuns: 300 },
    );
  });
});
