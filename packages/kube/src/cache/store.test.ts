import { type Kind, type KubeObject, keyOf, keyString, type Projected } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change } from '../controller.js';
import type { Resource } from '../resource.js';
import { InternTable } from './intern.js';
import { ResourceStore } from './store.js';

interface Pod extends KubeObject {
  readonly spec: { readonly node: string; readonly tags: readonly string[] };
}
interface PodProjection extends Projected {
  readonly node: string;
  readonly tags: readonly string[];
}
const PODS: Kind<Pod> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
const pods: Resource<PodProjection, 'node' | 'tag'> = {
  name: 'pods',
  api: 'hub',
  kind: PODS,
  project: (object, intern) => {
    const { metadata, spec } = object as Pod;
    if (spec.node === 'poison') throw new Error('cannot read the node');
    return {
      key: keyOf(object),
      uid: metadata.uid ?? '',
      resourceVersion: metadata.resourceVersion ?? '',
      node: intern(spec.node),
      tags: intern(spec.tags),
    };
  },
  indexes: { node: ({ node }) => [node], tag: ({ tags }) => tags },
};

function pod(name: string, version: number, { node = 'n1', tags = [] as readonly string[], uid = `uid-${name}` } = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'ns', uid, resourceVersion: String(version) },
    spec: { node, tags },
  };
}

function setup(): { store: ResourceStore<PodProjection>; changes: string[]; failures: string[] } {
  const changes: string[] = [];
  const failures: string[] = [];
  const brief = ({ before, after }: Change<PodProjection>): string =>
    before && after ? `${after.key.name} ${before.node}→${after.node}` : after ? `+${after.key.name}` : `-${before?.key.name}`;
  const store = new ResourceStore(pods, new InternTable().intern, {
    changed: (change) => changes.push(brief(change)),
    failed: (key) => failures.push(key.name),
  });
  return { store, changes, failures };
}

function relist(store: ResourceStore<PodProjection>, version: number, objects: readonly Pod[]): void {
  store.beginRelist();
  for (const object of objects) store.relistItem(object);
  store.endRelist(String(version));
}

const key = (name: string) => ({ namespace: 'ns', name });
const names = (projections: Iterable<PodProjection>): string[] => [...projections].map((projection) => projection.key.name).sort();

describe('resource store', () => {
  it('is synced after the first complete list', () => {
    const { store } = setup();
    store.beginRelist();
    store.relistItem(pod('a', 1));
    expect(store.synced).toBe(false);
    store.endRelist('5');
    expect(store.synced).toBe(true);
    expect(names(store.list())).toEqual(['a']);
  });

  it('reports the difference a relist makes and nothing else', () => {
    const { store, changes } = setup();
    relist(store, 5, [pod('a', 1), pod('b', 2), pod('c', 3)]);
    changes.length = 0;
    relist(store, 9, [pod('a', 1), pod('b', 7, { node: 'n2' }), pod('d', 8)]);
    expect(changes).toEqual(['b n1→n2', '+d', '-c']);
  });

  it('a relist that starts over does not remove projections that only the first try saw', () => {
    const { store, changes } = setup();
    store.beginRelist();
    store.relistItem(pod('a', 1));
    relist(store, 5, [pod('a', 1), pod('b', 2)]);
    expect(changes).toEqual(['+a', '+b']);
  });

  it('stays silent when only fields outside the projection change, yet knows the new resourceVersion', () => {
    const { store, changes } = setup();
    relist(store, 1, [pod('a', 1)]);
    store.apply(pod('a', 2));
    expect(changes).toEqual(['+a']);
    expect(store.get(key('a'))?.resourceVersion).toBe('2');
  });

  it('ignores an event that is older than the projection', () => {
    const { store, changes } = setup();
    relist(store, 10, [pod('a', 10, { node: 'n3' })]);
    store.apply(pod('a', 9, { node: 'n2' }));
    store.remove(pod('a', 9));
    expect(changes).toEqual(['+a']);
    expect(store.get(key('a'))?.node).toBe('n3');
  });

  it('sees a successor of the same name as a change from one to the other', () => {
    const { store, changes } = setup();
    relist(store, 1, [pod('a', 1, { uid: 'old' })]);
    store.apply(pod('a', 4, { uid: 'new', node: 'n2' }));
    expect(changes).toEqual(['+a', 'a n1→n2']);
    expect(store.get(key('a'))?.uid).toBe('new');
  });

  it('keeps the last good projection of an object it cannot project, and every other object', () => {
    const { store, failures } = setup();
    relist(store, 2, [pod('a', 1), pod('x', 2, { node: 'poison' })]);
    store.apply(pod('a', 3, { node: 'poison' }));
    store.apply(pod('b', 4));
    expect(failures).toEqual(['x', 'a']);
    expect(names(store.list())).toEqual(['a', 'b']);
    expect(store.get(key('a'))).toMatchObject({ node: 'n1', resourceVersion: '1' });
  });

  it('an unreadable object is not swept by a relist that still names it', () => {
    const { store } = setup();
    relist(store, 1, [pod('a', 1)]);
    relist(store, 5, [pod('a', 5, { node: 'poison' })]);
    expect(names(store.list())).toEqual(['a']);
  });

  it('names the existing indexes on a lookup in an unknown one', () => {
    expect(() => setup().store.byIndex('zone', 'z')).toThrow('pods has no index "zone"; it has: node, tag');
  });

  it('shares equal parts of projections', () => {
    const { store } = setup();
    relist(store, 2, [pod('a', 1, { tags: ['x', 'y'] }), pod('b', 2, { tags: ['x', 'y'] })]);
    expect(store.get(key('a'))?.tags).toBe(store.get(key('b'))?.tags);
  });
});

describe('waiting for a write to become visible', () => {
  const cases: {
    name: string;
    write: { resourceVersion?: string; goneUid?: string };
    event: (store: ResourceStore<PodProjection>) => void;
    want: boolean;
  }[] = [
    { name: 'its own event', write: { resourceVersion: '20' }, event: (store) => store.apply(pod('a', 20)), want: true },
    { name: 'a later event of the object', write: { resourceVersion: '20' }, event: (store) => store.apply(pod('a', 25)), want: true },
    { name: 'an earlier event of the object', write: { resourceVersion: '20' }, event: (store) => store.apply(pod('a', 19)), want: false },
    { name: 'the removal of the object', write: { resourceVersion: '20' }, event: (store) => store.remove(pod('a', 21)), want: true },
    { name: 'a bookmark past it', write: { resourceVersion: '20' }, event: (store) => store.bookmark('20'), want: true },
    { name: 'a bookmark before it', write: { resourceVersion: '20' }, event: (store) => store.bookmark('9'), want: false },
    { name: 'a relist past it', write: { resourceVersion: '20' }, event: (store) => relist(store, 30, []), want: true },
    {
      name: 'a relist of a server restored from a backup',
      write: { resourceVersion: '20' },
      event: (store) => relist(store, 3, []),
      want: true,
    },
    { name: 'an unrelated object', write: { goneUid: 'uid-a' }, event: (store) => store.apply(pod('b', 21)), want: false },
    { name: 'the end of a deleted object', write: { goneUid: 'uid-a' }, event: (store) => store.remove(pod('a', 21)), want: true },
    {
      name: 'a successor of a deleted object',
      write: { goneUid: 'uid-a' },
      event: (store) => store.apply(pod('a', 21, { uid: 'uid-2' })),
      want: true,
    },
    {
      name: 'a change of an object that should be deleted',
      write: { goneUid: 'uid-a' },
      event: (store) => store.apply(pod('a', 21)),
      want: false,
    },
  ];
  it.each(cases)('$name: $want', ({ write, event, want }) => {
    const { store } = setup();
    relist(store, 10, [pod('a', 10)]);
    let reached = false;
    store.whenReached({ key: key('a'), ...write }, () => (reached = true));
    expect(reached).toBe(false);
    event(store);
    expect(reached).toBe(want);
  });

  it('compares resourceVersions as numbers of any length', () => {
    const { store } = setup();
    relist(store, 9, []);
    expect(store.hasReached({ key: key('a'), resourceVersion: '10' })).toBe(false);
    store.bookmark('99999999999999999999');
    expect(store.hasReached({ key: key('a'), resourceVersion: '99999999999999999998' })).toBe(true);
  });
});

describe('resource store against a naive model', () => {
  const podNames = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const shape = fc.record({ node: fc.constantFrom('n1', 'n2', 'n3'), tags: fc.subarray(['x', 'y', 'z']) });
  const commands = fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.record({ type: fc.constant('apply' as const), name: podNames, shape }) },
      { weight: 2, arbitrary: fc.record({ type: fc.constant('remove' as const), name: podNames }) },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('relist' as const), lost: fc.array(fc.tuple(podNames, fc.option(shape))) }) },
    ),
    { maxLength: 50 },
  );

  it('holds, indexes and reports the state of the events, after any sequence with relists', () => {
    fc.assert(
      fc.property(commands, (sequence) => {
        const mirror = new Map<string, PodProjection>();
        const store = new ResourceStore(pods, new InternTable({ values: 3, chars: 1000 }).intern, {
          changed: ({ before, after }) => {
            const id = keyString((after ?? before)?.key ?? { name: '' });
            expect(mirror.get(id)?.node).toBe(before?.node);
            if (after) mirror.set(id, after);
            else mirror.delete(id);
          },
          failed: (_, error) => expect.fail(String(error)),
        });
        const model = new Map<string, Pod>();
        let version = 0;
        const change = (name: string, next: { node: string; tags: readonly string[] } | null): Pod => {
          version++;
          if (!next) {
            const gone = pod(name, version);
            model.delete(name);
            return gone;
          }
          const object = pod(name, version, { ...next, tags: next.tags });
          model.set(name, object);
          return object;
        };
        relist(store, 0, []);
        for (const command of sequence) {
          if (command.type === 'apply') store.apply(change(command.name, command.shape));
          else if (command.type === 'remove') {
            if (model.has(command.name)) store.remove(change(command.name, null));
          } else {
            // The watch misses these changes, so only the next list contains them.
            for (const [name, next] of command.lost) change(name, next);
            relist(store, version, [...model.values()]);
          }
          const all = [...model.values()];
          expect(names(store.list())).toEqual([...model.keys()].sort());
          for (const object of all) {
            expect(store.get(keyOf(object))).toMatchObject({ resourceVersion: object.metadata.resourceVersion, ...object.spec });
          }
          for (const node of ['n1', 'n2', 'n3']) {
            expect(names(store.byIndex('node', node))).toEqual(
              all
                .filter(({ spec }) => spec.node === node)
                .map(({ metadata }) => metadata.name ?? '')
                .sort(),
            );
          }
          for (const tag of ['x', 'y', 'z']) {
            const tagged = all
              .filter(({ spec }) => spec.tags.includes(tag))
              .map(({ metadata }) => metadata.name ?? '')
              .sort();
            expect(names(store.byIndex('tag', tag))).toEqual(tagged);
            for (const projection of store.byIndex('tag', tag)) expect(projection).toBe(store.get(projection.key));
          }
          expect([...mirror.keys()].sort()).toEqual([...model.values()].map((object) => keyString(keyOf(object))).sort());
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('interning', () => {
  it('stays within two generations however many values pass', () => {
    const table = new InternTable({ values: 100, chars: 1_000_000 });
    for (let i = 0; i < 10_000; i++) table.intern(`value ${i}`);
    expect(table.size).toBeLessThanOrEqual(200);
  });

  it('bounds the text it keeps, not only the number of values', () => {
    const table = new InternTable({ values: 1_000_000, chars: 1000 });
    for (let i = 0; i < 1000; i++) table.intern([`value ${i}`]);
    expect(table.size).toBeLessThan(200);
  });

  it('keeps sharing values in use while others are added and removed', () => {
    const table = new InternTable({ values: 10, chars: 1000 });
    const first = table.intern({ a: 1 });
    for (let i = 0; i < 1000; i++) {
      table.intern(`value ${i}`);
      expect(table.intern({ a: 1 })).toBe(first);
    }
  });
});
