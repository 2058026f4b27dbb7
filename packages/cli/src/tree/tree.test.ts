import { describe, expect, it } from 'vitest';
import { addOn, installed } from '../../../rules/src/why/fixtures.js';
import { type TreeInput, dependencyTree, treeLines } from './tree.js';

const text = (input: TreeInput, root?: string): string[] =>
  treeLines(dependencyTree(input, root)).map(({ label, node }) => [label, node.need, node.state, node.seen].filter(Boolean).join(' | '));
const needs = (name: string, ...dependencies: string[]) =>
  addOn(
    name,
    undefined,
    dependencies.map((one) => (one.endsWith('?') ? { name: one.slice(0, -1), type: 'Optional' } : { name: one })),
  );
const up = (name: string) => installed(name, 'c1', 'Available True WorkApplied x');

describe('tree of dependencies', () => {
  it('shows roots with their dependencies, on one cluster', () => {
    const managementAddOns = [needs('app', 'db', 'cache?'), needs('db'), needs('cache')];
    expect(text({ managementAddOns, installed: [up('app'), up('db')], cluster: 'c1' })).toEqual([
      'app | available',
      '├─ db | Required | available',
      '└─ cache | Optional | absent',
    ]);
  });
  it('counts clusters over the fleet and names dependencies that are not declared', () => {
    expect(text({ managementAddOns: [needs('app', 'ghost')], installed: [up('app'), installed('app', 'c2')] })).toEqual([
      'app | 1/2 available',
      '└─ ghost | Required | not declared',
    ]);
  });
  it('counts the clusters on which an add-on is degraded, and is not well then', () => {
    const degraded = installed('app', 'c1', 'Available True WorkApplied x', 'Degraded True DependencyNotSatisfied x');
    const [node] = dependencyTree({ managementAddOns: [needs('app', 'cache?')], installed: [degraded, installed('app', 'c2')] });
    expect(node).toMatchObject({ state: '1/2 available, 1 degraded', isWell: false });
  });
  it('shows a shared dependency once in full', () => {
    const managementAddOns = [needs('a', 'c'), needs('b', 'c'), needs('c', 'd'), needs('d')];
    expect(text({ managementAddOns, installed: [] }).filter((line) => line.includes('─ d |'))).toHaveLength(1);
    expect(text({ managementAddOns, installed: [] })).toContain('└─ c | Required | 0/0 available | above');
  });
  it('AT-31 a cycle is cut and marked', () => {
    expect(text({ managementAddOns: [needs('a', 'b'), needs('b', 'a')], installed: [] })).toEqual([
      'a | 0/0 available',
      '└─ b | Required | 0/0 available',
      '   └─ a | Required | 0/0 available | cycle',
    ]);
  });
  it('shows one add-on on request', () =>
    expect(text({ managementAddOns: [needs('a', 'b'), needs('b')], installed: [] }, 'b')).toEqual(['b | 0/0 available']));
});
