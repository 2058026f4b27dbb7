import { describe, expect, it } from 'vitest';
import type { StructuralSchema } from '../schema/types.js';
import { deepFreeze } from './equal.js';
import { strategicMergePatch } from './strategic-merge.js';

const keyed = (key: string, properties: Record<string, StructuralSchema>): StructuralSchema => ({
  type: 'array',
  'x-kubernetes-patch-strategy': 'merge',
  'x-kubernetes-patch-merge-key': key,
  items: { type: 'object', properties },
});

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    containers: keyed('name', { env: keyed('name', {}), args: { type: 'array', items: { type: 'string' } } }),
    finalizers: { type: 'array', items: { type: 'string' }, 'x-kubernetes-patch-strategy': 'merge' },
    args: { type: 'array', items: { type: 'string' } },
    strategy: { type: 'object', 'x-kubernetes-patch-strategy': 'retainKeys' },
    whole: { type: 'object', 'x-kubernetes-patch-strategy': 'replace' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
  },
};

const target = deepFreeze({
  containers: [
    { name: 'a', image: '1', env: [{ name: 'X', value: '1' }], args: ['p'] },
    { name: 'b', image: '1' },
  ],
  finalizers: ['f1', 'f2'],
  args: ['1', '2'],
  strategy: { type: 'RollingUpdate', rollingUpdate: { max: 1 } },
  whole: { a: 1 },
  labels: { x: '1', y: '2' },
});

const names = (list: unknown): unknown[] => (list as { name: string }[]).map(({ name }) => name);

describe('strategicMergePatch', () => {
  const cases: [string, unknown, string, unknown][] = [
    [
      'merges list items by key',
      { containers: [{ name: 'b', image: '2' }] },
      'containers',
      [target.containers[0], { name: 'b', image: '2' }],
    ],
    ['replaces lists without a strategy', { args: ['3'] }, 'args', ['3']],
    ['adds to lists of scalars', { finalizers: ['f3', 'f1'] }, 'finalizers', ['f3', 'f1', 'f2']],
    ['deletes from lists of scalars', { '$deleteFromPrimitiveList/finalizers': ['f1'] }, 'finalizers', ['f2']],
    ['deletes an item', { containers: [{ name: 'a', $patch: 'delete' }] }, 'containers', [target.containers[1]]],
    ['replaces a list', { containers: [{ name: 'c' }, { $patch: 'replace' }] }, 'containers', [{ name: 'c' }]],
    ['replaces a map', { labels: { z: '3', $patch: 'replace' } }, 'labels', { z: '3' }],
    ['empties a map', { labels: { $patch: 'delete' } }, 'labels', {}],
    ['keeps only retained keys', { strategy: { $retainKeys: ['type'], type: 'Recreate' } }, 'strategy', { type: 'Recreate' }],
    ['replaces maps with the strategy replace', { whole: { b: 2 } }, 'whole', { b: 2 }],
    ['removes by null', { labels: { x: null, nope: null } }, 'labels', { y: '2' }],
    ['leaves nulls out of new members', { extra: { a: null, b: [{ c: null, d: 1 }] } }, 'extra', { b: [{ d: 1 }] }],
    [
      'merges lists inside list items',
      { containers: [{ name: 'a', env: [{ name: 'Y', value: '2' }] }] },
      'containers',
      [
        {
          ...target.containers[0],
          env: [
            { name: 'Y', value: '2' },
            { name: 'X', value: '1' },
          ],
        },
        target.containers[1],
      ],
    ],
  ];
  it.each(cases)('%s', (_, patch, key, want) => {
    expect(strategicMergePatch<Record<string, unknown>>(target, deepFreeze(patch), schema)[key]).toEqual(want);
  });

  it('orders items by $setElementOrder; items that it does not name keep their place', () => {
    const patch = { '$setElementOrder/containers': [{ name: 'c' }, { name: 'b' }, { name: 'a' }], containers: [{ name: 'c' }] };
    const patched = strategicMergePatch<Record<string, unknown>>(target, patch, schema);
    expect(names(patched['containers'])).toEqual(['c', 'b', 'a']);
    const partial = strategicMergePatch<Record<string, unknown>>(target, { '$setElementOrder/containers': [{ name: 'b' }] }, schema);
    expect(names(partial['containers'])).toEqual(['a', 'b']);
  });

  const refused: [string, unknown, RegExp][] = [
    ['an unknown directive', { labels: { $patch: 'explode' } }, /unknown patch type: explode/],
    ['an item without its key', { containers: [{ image: '2' }] }, /does not contain declared merge key: name/],
    ['retained keys that miss a changed one', { strategy: { $retainKeys: ['x'], type: 'Recreate' } }, /invalid patch format of retainKeys/],
    [
      'an order that contradicts the list',
      { '$setElementOrder/containers': [{ name: 'a' }], containers: [{ name: 'z' }] },
      /doesn't match/,
    ],
    ['items of different kinds', { finalizers: [['x']] }, /list element types are not identical: \[\[f1 f2\] \[\[x\]\]\]/],
    ['a directive without a list', { $deleteFromPrimitiveList: ['x'] }, /invalid patch format of primitive list/],
    ['a value that is not an object', [], /not supported/],
  ];
  it.each(refused)('refuses %s', (_, patch, message) => {
    expect(() => strategicMergePatch(target, patch, schema)).toThrow(message);
  });

  it('treats __proto__ as data', () => {
    const patched = strategicMergePatch<Record<string, unknown>>({}, JSON.parse('{"__proto__":{"polluted":1}}'), undefined);
    expect(Object.keys(patched)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
