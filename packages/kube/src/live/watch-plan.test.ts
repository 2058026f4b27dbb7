import type { Kind } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import type { ObjectRef } from './object-ref.js';
import { MOST_BY_NAME, planWatches } from './watch-plan.js';

const secrets: Kind = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };
const nodes: Kind = { group: 'example.com', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };
const secret = (namespace: string, name: string): ObjectRef => ({ kind: secrets, namespace, name });
const node = (name: string): ObjectRef => ({ kind: nodes, namespace: '', name });

function plan(refs: readonly ObjectRef[], over: { open?: string[]; refused?: string[]; most?: number } = {}): readonly string[] {
  const { open = [], refused = [], most = 50 } = over;
  const specs = planWatches(refs, { open: new Set(open), refused: new Set(refused), most });
  return [...specs.values()].map(({ id, selection }) => [id, selection.namespace, selection.fieldSelector].filter(Boolean).join(' | '));
}

describe('which watches run', () => {
  it('one per kind and namespace, never over all namespaces', () => {
    const refs = [secret('a', '1'), secret('a', '2'), secret('b', '1')];
    expect(plan(refs)).toEqual(['secrets in a | a', 'secrets in b | b']);
    expect(
      [...planWatches(refs, { open: new Set(), refused: new Set(), most: 50 }).values()].every(({ selection }) => selection.namespace),
    ).toBe(true);
  });

  it('a few cluster-scoped objects by name, many by their kind', () => {
    const few = Array.from({ length: MOST_BY_NAME }, (_, i) => node(`n${i}`));
    expect(plan(few)[0]).toBe('nodes.example.com named n0 | metadata.name=n0');
    expect(plan(few)).toHaveLength(MOST_BY_NAME);
    expect(plan([...few, node('one-more')])).toEqual(['nodes.example.com']);
  });

  it('no more than the limit, and open watches take precedence over new ones', () => {
    const refs = ['a', 'b', 'c', 'd'].map((namespace) => secret(namespace, 'x'));
    expect(plan(refs, { most: 2 })).toEqual(['secrets in a | a', 'secrets in b | b']);
    expect(plan(refs, { most: 2, open: ['secrets in d', 'secrets in c'] })).toEqual(['secrets in c | c', 'secrets in d | d']);
  });

  it('not those the server refused', () => {
    expect(plan([secret('a', 'x'), secret('b', 'x')], { refused: ['secrets in a'] })).toEqual(['secrets in b | b']);
  });
});
