import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InternTable } from './intern.js';
import { Twins } from './twins.js';

/** JSON values, some of which differ only in the order or in the names of their members. */
const part = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(undefined, {}, [], { a: 1, b: 2 }, { b: 2, a: 1 }, { a: 1 }, { a: [1] }, { a: { '0': 1 } }, [[]], ['1'], [1]),
  fc.constantFrom('{"__proto__":{}}', '{"constructor":1}', '{"a":null}').map((text) => JSON.parse(text) as unknown),
);

describe('sharing parts with the last object of the same name', () => {
  it('returns a value equal to the one given, whatever other objects had in its place', () => {
    const objects = fc.array(fc.record({ name: fc.constantFrom('x', 'y'), parts: fc.array(part, { maxLength: 5 }) }), { maxLength: 20 });
    fc.assert(
      fc.property(objects, (list) => {
        const twins = new Twins(new InternTable({ values: 8, chars: 200 }).intern);
        for (const { name, parts } of list) {
          twins.begin(name);
          for (const one of parts) expect(JSON.stringify(twins.intern(one))).toBe(JSON.stringify(one));
        }
      }),
    );
  });

  it('returns the instance of the twin, and interns only parts that differ', () => {
    const interned: unknown[] = [];
    const twins = new Twins((value) => {
      interned.push(value);
      return value;
    });
    const project = (name: string, cluster: string): readonly unknown[] => {
      twins.begin(name);
      return [{ digest: name }, cluster, [{ type: 'Available' }]].map((one) => twins.intern(one));
    };
    const first = project('hello', 'c1');
    project('metrics', 'c1');
    interned.length = 0;
    const second = project('hello', 'c2');
    expect([second[0] === first[0], second[2] === first[2]]).toEqual([true, true]);
    expect(interned).toEqual(['c2']);
  });

  it('keeps the parts of a limited number of names', () => {
    let count = 0;
    const twins = new Twins((value) => {
      count++;
      return value;
    });
    const project = (name: string): void => {
      twins.begin(name);
      twins.intern({ a: 1 });
    };
    for (let i = 0; i < 1_001; i++) project(`n${i}`);
    count = 0;
    project('n1000');
    project('n0');
    expect(count).toBe(1);
  });
});
