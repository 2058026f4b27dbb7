import type { Secret } from '@outrigger/api';
import { ApiError, isApiError } from '@outrigger/core';
import type { Client, EffectContext } from '@outrigger/kube';
import { createRealRuntime } from '@outrigger/kube/node';
import { describe, expect, it } from 'vitest';
import type { ExaminedCertificates } from './certificates.js';
import { credentialEffects } from './effects.js';
import { spec } from './fixtures.js';
import { CREDENTIAL_LABEL, pendingKeyName } from './secrets.js';

const runtime = createRealRuntime();

function secret(uid: string, labels: Readonly<Record<string, string>> = { [CREDENTIAL_LABEL]: 'pending' }): Secret {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: pendingKeyName(spec.id), namespace: 'agent', uid, labels } };
}

/** A server with at most one Secret, which records the writes that it accepts. */
function server(found: Secret | undefined): { readonly context: EffectContext<ExaminedCertificates>; readonly writes: string[] } {
  const writes: string[] = [];
  const write = (verb: string) => async (): Promise<void> => void writes.push(verb);
  const client = {
    get: async (kind: { readonly kind: string }) => {
      if (kind.kind === 'Secret' && !found) throw new ApiError('NotFound', 'not found');
      return found;
    },
    create: async (kind: { readonly kind: string }, object: object) => {
      if (kind.kind === 'Secret' && found) throw new ApiError('AlreadyExists', 'already exists');
      writes.push(`create ${kind.kind}`);
      return object;
    },
    replace: write('replace'),
    delete: write('delete'),
  } as unknown as Client;
  const { signal } = new AbortController();
  return { context: { client: () => client, runtime, signal, remember: () => undefined }, writes };
}

const effects = credentialEffects({ namespace: 'agent' });

describe('a pending key that the cache still contains', () => {
  const cases = [
    { name: 'was deleted', found: undefined },
    { name: 'was replaced by another', found: secret('new') },
  ];
  it.each(cases)('and that $name is neither used nor removed: the pass is repeated on newer caches', async ({ found }) => {
    const { context, writes } = server(found);
    for (const run of [
      effects.ask({ spec, pendingUid: 'old', requestName: 'r' }, context),
      effects.store({ spec, pendingUid: 'old', certificate: 'Yw==' }, context),
    ])
      await expect(run).rejects.toSatisfy((error) => isApiError(error, 'Conflict'));
    expect(writes).toEqual([]);
  });
});

describe('a pending key that the cache does not contain yet', () => {
  it('is used, because the response to its creation was lost', async () => {
    const found = secret('first');
    const written = await effects.begin({ spec }, server(found).context);
    expect(written).toMatchObject([{ object: found }]);
  });
  it('is not taken from another Secret of the same name', async () => {
    const run = effects.begin({ spec }, server(secret('first', {})).context);
    await expect(run).rejects.toSatisfy((error) => isApiError(error, 'AlreadyExists'));
  });
});
