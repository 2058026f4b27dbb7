import { keyString, type ObjectKey } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlotDirectory } from './slot-directory.js';

describe('finding the slot of a projection', () => {
  // With 40 names, a namespace grows from one slot to a list and then to a map, and shrinks again.
  const key: fc.Arbitrary<ObjectKey> = fc.record({
    namespace: fc.constantFrom('a', 'b', undefined),
    name: fc.nat({ max: 39 }).map((index) => `name${index}`),
  }) as fc.Arbitrary<ObjectKey>;

  it('finds exactly the keys that were added and not removed, after any sequence', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.boolean()), { maxLength: 300 }), (sequence) => {
        const names: string[] = [];
        const model = new Map<string, number>();
        const directory = new SlotDirectory((slot) => names[slot] as string);
        const check = (one: ObjectKey): void => expect(directory.find(one), keyString(one)).toBe(model.get(keyString(one)));
        for (const [one, isAdded] of sequence) {
          const slot = model.get(keyString(one));
          if (slot === undefined && isAdded) {
            model.set(keyString(one), names.length);
            directory.add(one, names.push(one.name) - 1);
          } else if (slot !== undefined && !isAdded) {
            directory.remove(one, slot);
            model.delete(keyString(one));
          }
          check(one);
        }
        for (const [one] of sequence) check(one);
      }),
    );
  });

  it('a large namespace keeps all its projections when its list becomes a map', () => {
    const names = Array.from({ length: 100 }, (_, index) => `name${index}`);
    const directory = new SlotDirectory((slot) => names[slot] as string);
    for (const [slot, name] of names.entries()) directory.add({ namespace: 'a', name }, slot);
    expect(names.map((name) => directory.find({ namespace: 'a', name }))).toEqual([...names.keys()]);
    for (const [slot, name] of names.entries()) directory.remove({ namespace: 'a', name }, slot);
    expect(names.filter((name) => directory.find({ namespace: 'a', name }) !== undefined)).toEqual([]);
  });
});
