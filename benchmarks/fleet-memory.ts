/**
 * Measures the live heap that one add-on takes in the caches of the hub manager: its ManagedClusterAddOn and its ManifestWork, with the
 * shares of the indexes and of the intern table. First after a list, as after a restart; then after an edit of all add-ons, whose
 * events arrive in another order, with other times.
 *
 *   node --expose-gc --import tsx --conditions=source benchmarks/fleet-memory.ts
 */
import type { KubeObject } from '@outrigger/core';
import { addOns } from '../packages/hub/src/resources/add-ons.js';
import { works } from '../packages/hub/src/resources/works.js';
import { Cache } from '../packages/kube/src/cache/cache.js';
import { type AddOnAt, addOnText, workText } from './memory/objects.js';
import { cpuMs, heapBytes, print } from './memory/meters.js';

const CLUSTERS = 1_000;
const ADD_ONS = 20;
const COUNT = CLUSTERS * ADD_ONS;
/** How many add-ons a manager installs or edits in one second. */
const RATE = 100;

const cache = new Cache({
  changed: () => undefined,
  failed: (_, __, error) => {
    throw error;
  },
});
const stores = { addOns: cache.add(addOns), works: cache.add(works) };

/** The add-on at a position of the list, which is in the order of clusters. The hub wrote them in another order. */
function listed(index: number, revision: number, isSettled: boolean): AddOnAt {
  const written = (index * 7919) % COUNT;
  const version = 1_000_000 + revision * 4 * COUNT + written * 2 + (isSettled ? COUNT : 0);
  const second = revision * COUNT + Math.floor(written / RATE);
  return { cluster: Math.floor(index / ADD_ONS), addOn: index % ADD_ONS, version, revision, second, isSettled };
}

/** Passes each add-on and its work to `use`, and returns the processor time without that for making the texts, in milliseconds. */
function each(at: (index: number) => AddOnAt, use: (store: keyof typeof stores, object: KubeObject) => void): number {
  let spent = 0;
  for (let from = 0; from < COUNT; from += 500) {
    const batch = Array.from({ length: 500 }, (_, index) => at(from + index));
    for (const [store, text] of [['addOns', addOnText] as const, ['works', workText] as const]) {
      const texts = batch.map((one) => Buffer.from(text(one)));
      const startedAt = cpuMs();
      for (const one of texts) use(store, JSON.parse(one.toString()) as KubeObject);
      spent += cpuMs() - startedAt;
    }
  }
  return spent;
}

const before = heapBytes();
for (const store of Object.values(stores)) store.beginRelist();
const listMs = each(
  (index) => listed(index, 1, true),
  (store, object) => stores[store].relistItem(object),
);
for (const store of Object.values(stores)) store.endRelist('1000000');
const afterList = heapBytes();
let editMs = 0;
for (const isSettled of [false, true]) {
  editMs += each(
    (index) => listed((index * 6007) % COUNT, 2, isSettled),
    (store, object) => stores[store].apply(object),
  );
}
const afterEdit = heapBytes();

print('memory.add_on.after_list', (afterList - before) / COUNT, 'bytes', 1_700);
print('memory.add_on.after_edit', (afterEdit - before) / COUNT, 'bytes', 1_700);
print('memory.add_on.list_cpu', (listMs / COUNT) * 1000, 'µs');
print('memory.add_on.edit_cpu', (editMs / COUNT) * 1000, 'µs');
for (const store of Object.values(stores)) if (store.size !== COUNT) throw new Error(`expected ${COUNT} projections, found ${store.size}`);
