import type { Secret } from '@outrigger/api';
import { ApiError, isApiError } from '@outrigger/core';
import { exportPrivateKey } from '@outrigger/core/x509';
import type { Client, EffectContext } from '@outrigger/kube';
import { createRealRuntime } from '@outrigger/kube/node';
import { describe, expect, it } from 'vitest';
import type { ExaminedCertificates } from './certificates.js';
import { credentialEffects } from './effects.js';
import { spec } from './fixtures.js';
import { CREDENTIAL_LABEL, REQUESTER_ANNOTATION, REQUEST_ANNOTATION, pendingKeyName } from './secrets.js';

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
      effects.readdress({ spec, pendingUid: 'old' }, context),
    ])
      await expect(run).rejects.toSatisfy((error) => isApiError(error, 'Conflict'));
    expect(writes).toEqual([]);
  });
});

describe('a key or certificate that cannot be read', () => {
  const keyed = (key: string | undefined): Secret => ({ ...secret('u'), ...(key === undefined ? {} : { data: { 'tls.key': btoa(key) } }) });
  const good = async (): Promise<string> => exportPrivateKey(runtime.keys, (await runtime.keys.generate('P-256')).privateKey);

  it.each([
    { name: 'is empty', key: '' },
    { name: 'is missing', key: undefined },
    { name: 'is not a key', key: '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n' },
  ])('a pending key that $name is reported and left alone', async ({ key }) => {
    const { context, writes } = server(keyed(key));
    for (const run of [
      effects.ask({ spec, pendingUid: 'u', requestName: 'r' }, context),
      effects.store({ spec, pendingUid: 'u', certificate: 'Yw==' }, context),
    ])
      await expect(run).rejects.toMatchObject({
        name: 'TerminalError',
        message: `Secret agent/${pendingKeyName(spec.id)} has no readable private key; delete it, and the agent creates another`,
      });
    expect(writes).toEqual([]);
  });

  it('a certificate that is none is reported and not stored', async () => {
    const { context, writes } = server(keyed(await good()));
    const run = effects.store({ spec, pendingUid: 'u', certificate: btoa('no certificate') }, context);
    await expect(run).rejects.toMatchObject({ name: 'TerminalError', message: 'the certificate that the hub issued cannot be read' });
    expect(writes).toEqual([]);
  });

  it.each([
    { name: 'is reused if it can be read', key: good, isReused: true },
    { name: 'is not reused if it cannot', key: async () => 'broken', isReused: false },
  ])('the key of an earlier credential $name', async ({ key, isReused }) => {
    const pem = await key();
    const kept = { metadata: { name: 'own' }, data: { 'tls.key': btoa(pem) } };
    const { context } = server(undefined);
    const client = { ...context.client('cluster'), get: async () => kept } as unknown as Client;
    const [written] = (await effects.begin({ spec: { ...spec, reuseKeyOf: { name: 'own' } } }, { ...context, client: () => client })) ?? [];
    expect(written).toBeDefined();
    expect(JSON.stringify(written).includes(btoa(pem))).toBe(isReused);
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

describe('a pending key whose request was sent with another identity', () => {
  const own = { name: 'own', namespace: 'agent' };
  const joining = { ...spec, requester: 'token-2', reuseKeyOf: own };
  const pending = (requester: string): Secret => {
    const { metadata, ...rest } = secret('u');
    const annotations = { [REQUEST_ANNOTATION]: 'first', [REQUESTER_ANNOTATION]: requester };
    return { ...rest, metadata: { ...metadata, resourceVersion: '7', annotations }, data: { 'tls.key': btoa('pending') } };
  };
  const readdress = async (found: Secret, ownKey: string | undefined): Promise<{ object: Secret; replaced: number }> => {
    let replaced = 0;
    const client = {
      get: async (_: unknown, { name }: { readonly name: string }) => {
        if (name !== own.name) return found;
        if (ownKey === undefined) throw new ApiError('NotFound', 'not found');
        return { metadata: own, data: { 'tls.key': btoa(ownKey) } };
      },
      replace: async (_: unknown, object: Secret) => {
        replaced++;
        return object;
      },
    } as unknown as Client;
    const { context } = server(found);
    const [written] = (await effects.readdress({ spec: joining, pendingUid: 'u' }, { ...context, client: () => client })) ?? [];
    return { object: written?.object as Secret, replaced };
  };

  it('gets a new request with the key of the certificate', async () => {
    const { keys } = runtime;
    const key = await exportPrivateKey(keys, (await keys.generate('P-256')).privateKey);
    const { object } = await readdress(pending('certificate'), key);
    expect(object).toMatchObject({ data: { 'tls.key': btoa(key) }, metadata: { uid: 'u', resourceVersion: '7' } });
    expect(object.metadata.annotations).toMatchObject({ [REQUESTER_ANNOTATION]: 'token-2' });
    expect(object.metadata.annotations?.[REQUEST_ANNOTATION]).toMatch(/^addon-c1-hello-[0-9a-z]{5}$/);
  });
  it('keeps its key if there is no certificate', async () => {
    const { object } = await readdress(pending('token-1'), undefined);
    expect(object.data).toEqual({ 'tls.key': btoa('pending') });
    expect(object.metadata.annotations?.[REQUEST_ANNOTATION]).not.toBe('first');
  });
  it('keeps the new request if the response to an earlier attempt was lost', async () => {
    const found = pending('token-2');
    expect(await readdress(found, undefined)).toEqual({ object: found, replaced: 0 });
  });
});
