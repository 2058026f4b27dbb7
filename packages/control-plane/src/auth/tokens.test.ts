import type { KubeObject, Runtime } from '@outrigger/core';
import { exportPrivateKey } from '@outrigger/core/x509';
import { createRealRuntime } from '@outrigger/kube/node';
import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryStore } from '../store/memory.js';
import { createTokenAuthenticator, type TokenAuthenticator } from './authenticator.js';
import { toBase64Url } from './base64.js';
import { createTokenSigner, type TokenSigner } from './jwt.js';
import { API_AUDIENCE, ServiceAccountTokens } from './service-account-tokens.js';

const real = createRealRuntime();
const newKey = async (): Promise<string> => exportPrivateKey(real.keys, (await real.keys.generate('P-256')).privateKey);
const signer: TokenSigner = await createTokenSigner(real.keys, await newKey());
const START = Date.parse('2026-01-01T00:00:00Z');

let now: number;
let store: MemoryStore;
let tokens: ServiceAccountTokens;
let authenticate: TokenAuthenticator;

beforeEach(() => {
  now = START;
  const runtime: Runtime = { ...real, clock: { now: () => now, monotonic: () => now } };
  store = new MemoryStore();
  tokens = new ServiceAccountTokens(runtime, store, signer);
  authenticate = createTokenAuthenticator(runtime, store, tokens);
});

async function put(key: string, object: KubeObject): Promise<KubeObject> {
  await store.put(key, store.get(key)?.revision ?? 0, () => object);
  return object;
}
const remove = (key: string): Promise<unknown> =>
  store.delete(key, store.get(key)?.revision ?? 0, () => store.get(key)?.object as KubeObject);
const account = (uid = 'u1'): Promise<KubeObject> =>
  put('/serviceaccounts/x/bot', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'x', name: 'bot', uid } });
const problemOf = async (token: string, audiences?: string[]): Promise<string> => {
  const verdict = await authenticate(token, audiences);
  return 'problem' in verdict ? verdict.problem : 'authenticated';
};

describe('service account tokens', () => {
  const order = async () => ({ account: await account(), audiences: [API_AUDIENCE], expirationSeconds: 600 });

  it('authenticate as the account', async () => {
    const verdict = await authenticate(await tokens.issue(await order()));
    expect(verdict).toMatchObject({
      identity: {
        user: 'system:serviceaccount:x:bot',
        uid: 'u1',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:x', 'system:authenticated'],
      },
    });
  });

  it('become invalid when they expire', async () => {
    const token = await tokens.issue(await order());
    now += 599_000;
    expect(await problemOf(token)).toBe('authenticated');
    now += 1_000;
    expect(await problemOf(token)).toBe('service account token has expired');
  });

  it('become invalid with the account, also if an account of the same name is created', async () => {
    const token = await tokens.issue(await order());
    expect(await problemOf(token)).toBe('authenticated');
    await account('u2');
    expect(await problemOf(token)).toBe('service account x/bot does not exist (any more)');
    await remove('/serviceaccounts/x/bot');
    expect(await problemOf(token)).toBe('service account x/bot does not exist (any more)');
  });

  it('become invalid with the object to which they are bound', async () => {
    await put('/secrets/x/s', { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'x', name: 's', uid: 's1' } });
    const token = await tokens.issue({ ...(await order()), bound: { kind: 'Secret', name: 's', uid: 's1' } });
    expect(await problemOf(token)).toBe('authenticated');
    await remove('/secrets/x/s');
    expect(await problemOf(token)).toBe('service account token has been invalidated');
  });

  it('are valid for their audience only', async () => {
    const token = await tokens.issue({ ...(await order()), audiences: ['vault'] });
    expect(await problemOf(token)).toBe('the token is not meant for this audience');
    expect(await problemOf(token, ['vault'])).toBe('authenticated');
  });

  it('with another key, without a signature, or tampered with authenticate no user', async () => {
    const token = await tokens.issue(await order());
    const [head = '', body = '', signature = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
    const forged = toBase64Url(JSON.stringify({ ...claims, sub: 'system:serviceaccount:kube-system:root' }));
    const other = await createTokenSigner(real.keys, await newKey());
    const none = toBase64Url(JSON.stringify({ alg: 'none', typ: 'JWT' }));
    const bad = [
      `${head}.${forged}.${signature}`,
      `${none}.${body}.`,
      `${head}.${body}.`,
      `${head}.${body}`,
      await other.sign({ ...claims } as never),
      'x',
      '',
    ];
    for (const one of bad) expect(await problemOf(one)).toBe('invalid bearer token');
  });
});

describe('bootstrap tokens', () => {
  const secret = (data: Record<string, string>, more: object = {}): Promise<KubeObject> => {
    const all = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true', ...data };
    const encoded = Object.fromEntries(Object.entries(all).map(([name, value]) => [name, Buffer.from(value).toString('base64')]));
    const metadata = { namespace: 'kube-system', name: 'bootstrap-token-abcdef' };
    return put('/secrets/kube-system/bootstrap-token-abcdef', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      type: 'bootstrap.kubernetes.io/token',
      data: encoded,
      ...more,
    } as KubeObject);
  };
  const token = 'abcdef.0123456789abcdef';

  it('authenticate as a bootstrapper with the groups listed', async () => {
    await secret({ 'auth-extra-groups': 'system:bootstrappers:a,system:bootstrappers:b' });
    expect(await authenticate(token)).toMatchObject({
      identity: {
        user: 'system:bootstrap:abcdef',
        groups: ['system:bootstrappers', 'system:bootstrappers:a', 'system:bootstrappers:b', 'system:authenticated'],
      },
    });
  });

  it.each([
    { name: 'expired', data: { expiration: '2026-01-01T00:00:00Z' }, more: {} },
    { name: 'with an expiry that cannot be parsed', data: { expiration: 'tomorrow' }, more: {} },
    { name: 'with another secret', data: { 'token-secret': '0123456789abcdeX' }, more: {} },
    { name: 'with another id inside', data: { 'token-id': 'aaaaaa' }, more: {} },
    { name: 'not meant for authentication', data: { 'usage-bootstrap-authentication': 'false' }, more: {} },
    { name: 'that claim a group outside theirs', data: { 'auth-extra-groups': 'system:masters' }, more: {} },
    { name: 'in a secret of another type', data: {}, more: { type: 'Opaque' } },
    { name: 'in a secret being deleted', data: {}, more: { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } } },
  ])('$name authenticate no user', async ({ data, more }) => {
    await secret(data, more);
    expect(await problemOf(token)).toBe('invalid bearer token');
  });

  it('work until they expire or their Secret is deleted', async () => {
    await secret({ expiration: '2026-01-01T00:00:10Z' });
    expect(await problemOf(token)).toBe('authenticated');
    await remove('/secrets/kube-system/bootstrap-token-abcdef');
    expect(await problemOf(token)).toBe('invalid bearer token');
  });
});
