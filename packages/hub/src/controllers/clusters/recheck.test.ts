import { managedClusterAddOns, manifestWorks } from '@outrigger/api';
import { type Kind, type KubeObject, isApiError } from '@outrigger/core';
import type { Client, EffectContext } from '@outrigger/kube';
import { describe, expect, it } from 'vitest';
import { CLUSTER, addOn, work } from './fixtures.js';
import { recheck, type RecheckInput, noWorksLeft } from './recheck.js';

const priority = (value: string): KubeObject['metadata'] => ({ annotations: { 'open-cluster-management.io/cleanup-priority': value } });

/** A server that contains exactly these objects. */
function context(...left: readonly KubeObject[]): EffectContext {
  async function* listAll(kind: Kind): AsyncGenerator<KubeObject> {
    yield* left.filter((object) => object.kind === kind.kind);
  }
  return { client: () => ({ listAll }) as unknown as Client, signal: new AbortController().signal } as unknown as EffectContext;
}

const ADDONS = { plural: managedClusterAddOns.plural, priority: 0 };
const WORKS = { plural: manifestWorks.plural, priority: 0 };

describe('the check before objects of a cluster are deleted', () => {
  it.each<{ name: string; due?: RecheckInput['due']; left: readonly KubeObject[]; holds: boolean }>([
    { name: 'nothing is left, as thought', left: [], holds: true },
    { name: 'a work exists that no cache shows yet', left: [work('w')], holds: false },
    { name: 'add-ons are due, as thought', due: ADDONS, left: [addOn('a'), work('w')], holds: true },
    { name: 'works were due although an add-on exists', due: WORKS, left: [addOn('a'), work('w')], holds: false },
    {
      name: 'a later priority was thought due',
      due: { ...WORKS, priority: 50 },
      left: [work('late', priority('50')), work('early')],
      holds: false,
    },
    { name: 'the objects that were due no longer exist', due: WORKS, left: [], holds: false },
  ])('$name: $holds', async ({ due, left, holds }) => {
    const input: RecheckInput = { cluster: CLUSTER, ...(due ? { due } : {}) };
    const outcome = await recheck(input, context(...left)).then(
      () => true,
      (error: unknown) => !isApiError(error, 'Conflict'),
    );
    expect(outcome).toBe(holds);
  });
});

describe('before a denied cluster loses its right to works', () => {
  it('continues if the server has none, even if other objects are left', async () => {
    await expect(noWorksLeft(CLUSTER, context(addOn('a')))).resolves.toBeUndefined();
  });

  it('stops if the server has one that no cache has shown yet', async () => {
    await expect(noWorksLeft(CLUSTER, context(work('w')))).rejects.toMatchObject({ reason: 'Conflict' });
  });
});
