import type { KubeObject, OwnerReference } from '@outrigger/core';
import fc from 'fast-check';
import { createVirtualRuntime, Simulator } from '@outrigger/kube/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { PAGE } from '../../every-entry.js';
import { startVirtualPlane, type VirtualPlane } from '../../fixtures.js';
import type { Entry } from '../../store/contract.js';
import { storageKey } from '../../store/key.js';
import { MemoryStore } from '../../store/memory.js';
import type { ControllerApi } from '../api.js';
import type { Catalog } from '../contract.js';
import { configMaps } from '../kinds.js';
import { startGarbageCollection } from './controller.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
let server: VirtualPlane;
let made = 0;

beforeAll(async () => {
  const simulator = new Simulator({ seed: 'x' });
  server = await startVirtualPlane(simulator, createVirtualRuntime(simulator, 'server'));
});

const refTo = ({ apiVersion, kind, metadata }: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  ...more,
});
async function create(name: string, owners: OwnerReference[] = [], finalizers: string[] = []): Promise<KubeObject> {
  const metadata = { name, ownerReferences: owners, finalizers };
  return server.send('POST', MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
}
const remove = (name: string, propagationPolicy: string): Promise<unknown> =>
  server.send('DELETE', `${MAPS}/${name}`, { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy });
async function left(prefix: string): Promise<string[]> {
  await server.advance(5_000);
  return (await server.names(MAPS)).filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}
const family = (): string => `f${made++}-`;

describe('garbage collection', () => {
  it('in the background deletes the dependents of the deleted object, and their dependents', async () => {
    const f = family();
    const a = await create(`${f}a`);
    const b = await create(`${f}b`, [refTo(a)]);
    await create(`${f}c`, [refTo(b)]);
    await remove(`${f}a`, 'Background');
    expect(await left(f)).toEqual([]);
  });

  it('keeps dependents that have another owner, and removes the reference to the deleted one', async () => {
    const f = family();
    const [a, b] = [await create(`${f}a`), await create(`${f}b`)];
    await create(`${f}c`, [refTo(a), refTo(b)]);
    await remove(`${f}a`, 'Background');
    expect(await left(f)).toEqual(['b', 'c']);
    const kept = await server.send('GET', `${MAPS}/${f}c`);
    expect(kept.metadata.ownerReferences).toEqual([refTo(b)]);
  });

  it('in the foreground removes the owner last', async () => {
    const f = family();
    const a = await create(`${f}a`);
    await create(`${f}b`, [refTo(a, { blockOwnerDeletion: true })], ['example.com/hold']);
    await create(`${f}c`, [refTo(a, { blockOwnerDeletion: true })]);
    await remove(`${f}a`, 'Foreground');
    expect(await left(f)).toEqual(['a', 'b']);
    await server.send('PATCH', `${MAPS}/${f}b`, { metadata: { finalizers: null } });
    expect(await left(f)).toEqual([]);
  });

  it('in the foreground removes dependents that do not block, while others do', async () => {
    const f = family();
    const [a, b] = [await create(`${f}a`), await create(`${f}b`)];
    await create(`${f}c`, [refTo(a, { blockOwnerDeletion: true })], ['example.com/hold']);
    await create(`${f}d`, [refTo(a)]);
    await create(`${f}e`, [refTo(a), refTo(b)]);
    expect(await left(f)).toEqual(['a', 'b', 'c', 'd', 'e']);
    await remove(`${f}a`, 'Foreground');
    expect(await left(f)).toEqual(['a', 'b', 'c', 'e']);
    expect((await server.send('GET', `${MAPS}/${f}e`)).metadata.ownerReferences).toEqual([refTo(b)]);
    await server.send('PATCH', `${MAPS}/${f}c`, { metadata: { finalizers: null } });
    expect(await left(f)).toEqual(['b', 'e']);
  });

  it('in the foreground does not wait for dependents that do not block', async () => {
    const f = family();
    const a = await create(`${f}a`);
    await create(`${f}b`, [refTo(a)], ['example.com/hold']);
    await remove(`${f}a`, 'Foreground');
    expect(await left(f)).toEqual(['b']);
    await server.send('PATCH', `${MAPS}/${f}b`, { metadata: { finalizers: null } });
  });

  it('orphaning leaves the dependents, without an owner', async () => {
    const f = family();
    const a = await create(`${f}a`);
    await create(`${f}b`, [refTo(a)]);
    await remove(`${f}a`, 'Orphan');
    expect(await left(f)).toEqual(['b']);
    const orphan = await server.send('GET', `${MAPS}/${f}b`);
    expect(orphan.metadata.ownerReferences ?? []).toEqual([]);
  });

  it('deletes objects whose owner never existed, or has another uid', async () => {
    const f = family();
    const a = await create(`${f}a`);
    await create(`${f}b`, [{ ...refTo(a), uid: '00000000-0000-0000-0000-000000000000' }]);
    expect(await left(f)).toEqual(['a']);
  });

  it('keeps objects whose owner is of an unknown kind', async () => {
    const f = family();
    await create(`${f}a`, [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'x', uid: 'x' }]);
    expect(await left(f)).toEqual(['a']);
  });

  it('completes the foreground deletion of two objects that own each other', async () => {
    const f = family();
    const a = await create(`${f}a`);
    const b = await create(`${f}b`, [refTo(a, { blockOwnerDeletion: true })]);
    await server.send('PATCH', `${MAPS}/${f}a`, { metadata: { ownerReferences: [{ ...refTo(b, { blockOwnerDeletion: true }) }] } });
    await remove(`${f}a`, 'Foreground');
    expect(await left(f)).toEqual([]);
  });

  it('of any forest ends with exactly the objects that still have a living owner, or never had one', async () => {
    const forest = fc.array(fc.record({ parents: fc.array(fc.nat(7), { maxLength: 2 }), isDeleted: fc.boolean() }), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(forest, fc.constantFrom('Background', 'Foreground'), async (nodes, propagation) => {
        const f = family();
        const objects: KubeObject[] = [];
        for (const [i, { parents }] of nodes.entries()) {
          const owners = [...new Set(parents)].flatMap((p) =>
            p < i ? [refTo(objects[p] as KubeObject, { blockOwnerDeletion: true })] : [],
          );
          objects.push(await create(`${f}${i}`, owners));
        }
        for (const [i, { isDeleted }] of nodes.entries())
          if (isDeleted) await server.attempt('DELETE', `${MAPS}/${f}${i}`, { propagationPolicy: propagation });
        const alive: boolean[] = [];
        for (const [i, { parents, isDeleted }] of nodes.entries()) {
          const owners = [...new Set(parents)].filter((p) => p < i);
          alive.push(!isDeleted && (owners.length === 0 || owners.some((p) => alive[p])));
        }
        expect(await left(f)).toEqual(alive.flatMap((isAlive, i) => (isAlive ? [String(i)] : [])));
      }),
      { numRuns: 15 },
    );
  });
});

describe('garbage collection of a large store', () => {
  it('begins when all stored objects are known', async () => {
    const simulator = new Simulator({ seed: 'large' });
    const store = new MemoryStore();
    const put = (name: string, more: object): Promise<unknown> =>
      store.put(storageKey({ ...configMaps, namespace: 'a', name }), 0, (revision) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: 'a', uid: name, resourceVersion: String(revision), ...more },
      }));
    const owned = (name: string): object => ({ ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid: name }] });
    await put('a-orphan', owned('gone'));
    await put('b-child', owned('z-parent'));
    for (let n = 0; n < 2 * PAGE; n++) await put(`c-${n}`, {});
    await put('z-parent', {});
    const removed: string[] = [];
    const api = { remove: async (_: unknown, { name }: { name: string }) => void removed.push(name) } as unknown as ControllerApi;
    const catalog: Catalog = { all: () => [configMaps], byGroupKind: () => configMaps, byResource: () => configMaps };
    const collection = startGarbageCollection({ runtime: createVirtualRuntime(simulator, 'server'), store, catalog, api });
    expect(removed).toEqual([]);
    await simulator.advance(1000);
    expect(removed).toEqual(['a-orphan']);
    await collection.stop();
  });

  it('reads each owner once at the start, and no object that stays', async () => {
    const simulator = new Simulator({ seed: 'start' });
    const store = new CountingStore();
    const put = (name: string, more: object = {}): Promise<unknown> =>
      store.put(storageKey({ ...configMaps, namespace: 'a', name }), 0, (revision) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: 'a', uid: name, resourceVersion: String(revision), ...more },
      }));
    const ownedBy = (name: string, uid = name): object => ({ ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }] });
    await put('parent');
    for (let i = 0; i < 50; i++) await put(`child${i}`, ownedBy('parent'));
    const removed: string[] = [];
    const api = { remove: async (_: unknown, { name }: { name: string }) => void removed.push(name) } as unknown as ControllerApi;
    const catalog: Catalog = { all: () => [configMaps], byGroupKind: () => configMaps, byResource: () => configMaps };
    const start = async (): Promise<number> => {
      store.reads = 0;
      const collection = startGarbageCollection({ runtime: createVirtualRuntime(simulator, 'server'), store, catalog, api });
      await simulator.advance(1000);
      await collection.stop();
      return store.reads;
    };
    expect([await start(), removed]).toEqual([1, []]);
    await put('of-an-earlier-parent', ownedBy('parent', 'earlier'));
    await start();
    expect(removed).toEqual(['of-an-earlier-parent']);
  });

  it('looks at an owned object when its owners change, but not for a report in its status', async () => {
    const simulator = new Simulator({ seed: 'reports' });
    const store = new CountingStore();
    const key = storageKey({ ...configMaps, namespace: 'a', name: 'child' });
    const put = async (more: object, status: object): Promise<void> => {
      const expected = store.peek(key)?.revision ?? 0;
      await store.put(key, expected, (revision) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'child', namespace: 'a', uid: 'child', resourceVersion: String(revision), ...more },
        status,
      }));
      await simulator.advance(1000);
    };
    const owned = (name: string): object => ({ ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid: name }] });
    const removed: string[] = [];
    const api = { remove: async (_: unknown, { name }: { name: string }) => void removed.push(name) } as unknown as ControllerApi;
    const catalog: Catalog = { all: () => [configMaps], byGroupKind: () => configMaps, byResource: () => configMaps };
    await store.put(storageKey({ ...configMaps, namespace: 'a', name: 'parent' }), 0, (revision) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'parent', namespace: 'a', uid: 'parent', resourceVersion: String(revision) },
    }));
    const collection = startGarbageCollection({ runtime: createVirtualRuntime(simulator, 'server'), store, catalog, api });
    await simulator.advance(1000);
    await put(owned('parent'), {});
    expect(store.reads).toBeGreaterThan(0);
    store.reads = 0;
    await put(owned('parent'), { phase: 'Ready' });
    expect(store.reads).toBe(0);
    await put(owned('gone'), { phase: 'Ready' });
    expect(removed).toEqual(['child']);
    await collection.stop();
  });
});

/** Counts the reads of single objects, which the collector makes in each of its passes. */
class CountingStore extends MemoryStore {
  reads = 0;

  override get(key: string, atRevision?: number): Entry | undefined {
    this.reads += 1;
    return this.peek(key, atRevision);
  }

  peek(key: string, atRevision?: number): Entry | undefined {
    return super.get(key, atRevision);
  }
}
