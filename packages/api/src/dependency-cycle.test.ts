import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cycleThrough, dependencyCycle, type DependsOn } from './dependency-cycle.js';

const graph =
  (edges: Readonly<Record<string, readonly string[]>>): DependsOn =>
  (name) =>
    edges[name] ?? [];

describe('dependencyCycle', () => {
  it.each([
    { name: 'none', edges: { a: ['b', 'c'], b: ['d'], c: ['d'] }, want: undefined },
    { name: 'itself', edges: { a: ['a'] }, want: ['a', 'a'] },
    { name: 'two', edges: { a: ['b'], b: ['a'] }, want: ['a', 'b', 'a'] },
    { name: 'the shortest of two', edges: { a: ['x', 'b'], x: ['y'], y: ['a'], b: ['a'] }, want: ['a', 'b', 'a'] },
    { name: 'one further down it is not part of', edges: { a: ['b'], b: ['c'], c: ['b'] }, want: undefined },
  ])('finds $name', ({ edges, want }) => {
    expect(dependencyCycle('a', graph(edges))).toEqual(want);
  });

  it('walks a chain of a hundred thousand', () => {
    const next: DependsOn = (name) => [name === '99999' ? '0' : String(Number(name) + 1)];
    expect(dependencyCycle('0', next)).toHaveLength(100_001);
  });

  it('finds a cycle exactly where one can walk back', () => {
    const node = fc.integer({ min: 0, max: 6 }).map(String);
    const edges = fc.array(fc.tuple(node, node), { maxLength: 14 });
    fc.assert(
      fc.property(edges, node, node, (list, from, to) => {
        const dependsOn: DependsOn = (name) => list.filter(([start]) => start === name).map(([, end]) => end);
        const cycle = cycleThrough(from, to, dependsOn);
        expect(cycle !== undefined).toBe(reaches(to, from, dependsOn));
        if (!cycle) return;
        expect([cycle[0], cycle[1], cycle.at(-1)]).toEqual([from, to, from]);
        for (const [index, name] of cycle.slice(1, -1).entries()) expect([...dependsOn(name)]).toContain(cycle[index + 2]);
      }),
    );
  });
});

/** The plain definition: follow every edge until nothing new turns up. */
function reaches(from: string, to: string, dependsOn: DependsOn): boolean {
  const seen = new Set([from]);
  for (const name of seen) for (const next of dependsOn(name)) seen.add(next);
  return seen.has(to);
}
