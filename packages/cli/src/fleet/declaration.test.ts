import type { ClusterManagementAddOn } from '@outrigger/api';
import { ApiError } from '@outrigger/core';
import type { Client, Patch } from '@outrigger/kube';
import { describe, expect, it } from 'vitest';
import { patchDeclaration } from './declaration.js';

/** Returns a hub with one declaration. `meanwhile` changes the generation of the declaration before each patch, as another client would. */
function hubWith(meanwhile: (generation: number) => number): { readonly hub: Client; readonly tests: unknown[] } {
  let generation = 1;
  const tests: unknown[] = [];
  const hub = {
    get: async (): Promise<ClusterManagementAddOn> => ({
      apiVersion: 'addon.open-cluster-management.io/v1alpha1',
      kind: 'ClusterManagementAddOn',
      metadata: { name: 'hello', generation },
      spec: {},
    }),
    patch: async (_kind: unknown, _key: unknown, { patch }: Patch) => {
      generation = meanwhile(generation);
      const [test] = patch as readonly { readonly path: string; readonly value: unknown }[];
      tests.push(test);
      if (test?.value !== generation) throw new ApiError('Invalid', 'the server rejected our request due to an error in our request');
    },
  };
  return { hub: hub as unknown as Client, tests };
}

describe('a change of a declaration', () => {
  it('is computed again after a conflict', async () => {
    let others = 2;
    const { hub, tests } = hubWith((generation) => (others-- > 0 ? generation + 1 : generation));
    expect((await patchDeclaration(hub, 'hello', () => [])).metadata.generation).toBe(3);
    expect(tests).toEqual([1, 2, 3].map((value) => ({ op: 'test', path: '/metadata/generation', value })));
  });
  it('gives up if another program never stops, and reports that nothing was done', async () => {
    const { hub } = hubWith((generation) => generation + 1);
    await expect(patchDeclaration(hub, 'hello', () => [])).rejects.toThrow('another program keeps changing hello: nothing was done');
  });
  it('is not retried if the hub rejects it', async () => {
    let asked = 0;
    const { hub } = hubWith((generation) => generation);
    const refusing = { ...hub, patch: async () => Promise.reject(new ApiError('Invalid', `no ${++asked}`)) } as unknown as Client;
    await expect(patchDeclaration(refusing, 'hello', () => [])).rejects.toThrow('no 1');
  });
});
