import type { KubeObject } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OwnerGraph } from './owner-graph.js';

const owned = (owners: readonly { uid: string; blocks: boolean }[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    ownerReferences: owners.map(({ uid, blocks }) => ({ apiVersion: 'v1', kind: 'X', name: uid, uid, blockOwnerDeletion: blocks })),
  },
});

describe('the owner graph', () => {
  it('equals a graph built from all objects, after any history', () => {
    const owners = fc.array(fc.record({ uid: fc.constantFrom('u1', 'u2', 'u3'), blocks: fc.boolean() }), { maxLength: 3 });
    const steps = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), owners: fc.option(owners, { nil: undefined }) }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(steps, (history) => {
        const graph = new OwnerGraph();
        const objects = new Map<string, KubeObject>();
        for (const { key, owners: next } of history) {
          const after = next && owned(next);
          graph.update(key, objects.get(key), after);
          if (after) objects.set(key, after);
          else objects.delete(key);
        }
        for (const uid of ['u1', 'u2', 'u3']) {
          const naming = [...objects].filter(([, { metadata }]) => metadata.ownerReferences?.some((ref) => ref.uid === uid));
          expect([...graph.dependentsOf(uid)].sort()).toEqual(naming.map(([key]) => key).sort());
          const blocking = naming.filter(([, { metadata }]) =>
            metadata.ownerReferences?.some((ref) => ref.uid === uid && ref.blockOwnerDeletion),
          );
          expect([...graph.blockingDependentsOf(uid)].sort()).toEqual(blocking.map(([key]) => key).sort());
        }
        if (objects.size === 0) expect(graph.size).toBe(0);
      }),
    );
  });
});
