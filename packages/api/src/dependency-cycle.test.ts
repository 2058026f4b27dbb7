import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DependsOn, cycleText, dependencyCycles } from './dependency-cycle.js';

const graph =
  (edges: Readonly<Record<string, readonly string[]>>): DependsOn =>
  (name) =>
    edges[name] ?? [];

describe('dependencyCycles', () => {
  it.each([
    { name: 'none', edges: { a: ['b', 'c'], b: ['d'], c: ['d'] }, want: undefined },
    { name: 'itself', edges: { a: ['a'] }, want: ['a', 'a'] },
    { name: 'two', edges: { a: ['b'], b: ['a'] }, want: ['a', 'b', 'a'] },
    { name: 'the shortest of two', edges: { a: ['x', 'b'], x: ['y'], y: ['a'], b: ['a'] }, want: ['a', 'b', 'a'] },
    { name: 'one further down it is not part of', edges: { a: ['b'], b: ['c'], c: ['b'] }, want: undefined },
  ])('finds $name', ({ edges, want }) => {
    expect(dependencyCycles('a', graph(edges)).shortest()).toEqual(want);
  });

  it('prints each cycle from the add-on in question', () => {
    const edges = graph({ a: ['b'], b: ['c', 'x'], c: ['a'], x: [] });
    expect(dependencyCycles('a', edges).through('b')).toEqual(['a', 'b', 'c', 'a']);
    expect(dependencyCycles('b', edges).through('c')).toEqual(['b', 'c', 'a', 'b']);
    expect(dependencyCycles('b', edges).through('x')).toBeUndefined();
    expect(dependencyCycles('x', edges).shortest()).toBeUndefined();
  });

  it('names all add-ons on a cycle with it, and no other', () => {
    const edges = graph({ a: ['b', 'x'], b: ['c'], c: ['a', 'y'], d: ['a'] });
    expect([...dependencyCycles('a', edges).members()].sort()).toEqual(['b', 'c']);
    expect([...dependencyCycles('d', edges).members()]).toEqual([]);
  });

  it('AT-31 finds a cycle of one, two and fifty', () => {
    const ring =
      (size: number): DependsOn =>
      (name) => [String((Number(name) + 1) % size)];
    for (const size of [1, 2, 50]) expect(dependencyCycles('0', ring(size)).shortest()).toHaveLength(size + 1);
  });

  it('AT-32 looks up each add-on once, in a chain of 10,000, a fan-in of 1,000 and a diamond', () => {
    const counting = (dependsOn: DependsOn): { dependsOn: DependsOn; asked: () => number } => {
      let asked = 0;
      return { dependsOn: (name) => (asked++, dependsOn(name)), asked: () => asked };
    };
    const chain = counting((name) => (name === '9999' ? [] : [String(Number(name) + 1)]));
    expect(dependencyCycles('0', chain.dependsOn).shortest()).toBeUndefined();
    expect(chain.asked()).toBeLessThanOrEqual(10_001);
    const fan = counting((name) => (name === 'top' ? Array.from({ length: 1000 }, (_, i) => `f${i}`) : name === 'base' ? [] : ['base']));
    expect(dependencyCycles('top', fan.dependsOn).shortest()).toBeUndefined();
    expect(fan.asked()).toBeLessThanOrEqual(1003);
    expect(dependencyCycles('a', graph({ a: ['b', 'c'], b: ['d'], c: ['d'] })).shortest()).toBeUndefined();
  });

  it('walks a ring of a hundred thousand', () => {
    const next: DependsOn = (name) => [name === '99999' ? '0' : String(Number(name) + 1)];
    expect(dependencyCycles('0', next).shortest()).toHaveLength(100_001);
  });

  it('finds a cycle exactly where one can walk back, and no shorter one exists', () => {
    const node = fc.integer({ min: 0, max: 6 }).map(String);
    const edges = fc.array(fc.tuple(node, node), { maxLength: 14 });
    fc.assert(
      fc.property(edges, node, (list, from) => {
        const dependsOn: DependsOn = (name) => list.filter(([start]) => start === name).map(([, end]) => end);
        const cycles = dependencyCycles(from, dependsOn);
        for (const to of dependsOn(from)) {
          const cycle = cycles.through(to);
          const distance = distanceBetween(to, from, dependsOn);
          expect(cycle?.length).toBe(distance === undefined ? undefined : distance + 2);
          if (!cycle) continue;
          expect([cycle[0], cycle[1], cycle.at(-1)]).toEqual([from, to, from]);
          for (const [index, name] of cycle.slice(0, -1).entries()) expect([...dependsOn(name)]).toContain(cycle[index + 1]);
        }
      }),
    );
  });
});

/** A reference implementation that searches all edges breadth-first. */
function distanceBetween(from: string, to: string, dependsOn: DependsOn): number | undefined {
  let level = new Set([from]);
  const seen = new Set(level);
  for (let distance = 0; level.size > 0; distance++) {
    if (level.has(to)) return distance;
    level = new Set([...level].flatMap((name) => [...dependsOn(name)]).filter((name) => !seen.has(name)));
    for (const name of level) seen.add(name);
  }
  return undefined;
}

describe('cycleText', () => {
  const names = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `a${i}`);
  it('writes a short cycle in full', () => {
    expect(cycleText(['a', 'b', 'a'])).toBe('a -> b -> a');
    expect(cycleText(names(12))).toBe(names(12).join(' -> '));
  });
  it('leaves out the middle of a long cycle', () => {
    expect(cycleText(names(13))).toBe('a0 -> a1 -> a2 -> a3 -> a4 -> a5 -> a6 -> a7 -> (2 more) -> a10 -> a11 -> a12');
  });
  it('fits in a condition, however long the names and the cycle are', () => {
    expect(cycleText(Array.from({ length: 3_000 }, () => 'x'.repeat(253))).length).toBeLessThan(3_000);
  });
});
