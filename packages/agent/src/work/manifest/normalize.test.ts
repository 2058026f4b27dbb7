import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { object } from '../fixtures.js';
import { prepare } from './normalize.js';
import { rankOf } from './rank.js';

describe('preparing a manifest', () => {
  it('removes null creation times everywhere', () => {
    const template = { metadata: { creationTimestamp: null, labels: {} }, items: [{ creationTimestamp: null, keep: null }] };
    const { object: prepared } = prepare(object('a', { spec: { template } }, { creationTimestamp: null }));
    expect(prepared).toEqual(object('a', { spec: { template: { metadata: { labels: {} }, items: [{ keep: null }] } } }));
  });

  it('removes fields that only a server sets', () => {
    const server = { uid: 'u', resourceVersion: '1', generation: 2, managedFields: [], selfLink: '/x' };
    expect(prepare(object('a', {}, server)).object).toEqual(object('a'));
  });

  it('moves the stringData of a Secret to data, as the server does', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { a: 'eA==' }, stringData: { b: 'grüße' } };
    expect(prepare(secret as KubeObject).object).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      data: { a: 'eA==', b: 'Z3LDvMOfZQ==' },
    });
  });

  it('AT-43 treats a value that is no manifest as one without a name', () => {
    expect(prepare({} as KubeObject).object).toEqual({ apiVersion: '', kind: '', metadata: {} });
  });

  it('AT-24 keeps a field named __proto__ a field', () => {
    const hostile = object('a', { data: JSON.parse('{"__proto__": "x"}') as object });
    const { object: prepared } = prepare(hostile);
    expect(Object.keys((prepared as unknown as { data: object }).data)).toEqual(['__proto__']);
  });

  it('runs once for the same manifest, and distinguishes different ones', () => {
    const manifest = object('a');
    expect(prepare(manifest)).toBe(prepare(manifest));
    expect(prepare(object('a')).digest).toBe(prepare(object('a', {}, { creationTimestamp: null })).digest);
    expect(prepare(object('a')).digest).not.toBe(prepare(object('b')).digest);
  });
});

describe('the order of applying', () => {
  it('sorts kinds that others need first, and unknown kinds last', () => {
    const kinds = ['Widget', 'APIService', 'Deployment', 'Service', 'ConfigMap', 'ServiceAccount', 'Role', 'Namespace'];
    expect([...kinds].sort((a, b) => rankOf(a) - rankOf(b))).toEqual([...kinds].reverse());
  });
});
