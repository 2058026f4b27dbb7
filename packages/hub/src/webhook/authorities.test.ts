import { X509Certificate } from 'node:crypto';
import { type Secret, secrets } from '@outrigger/api';
import type { Runtime } from '@outrigger/core';
import { type Client, createClient } from '@outrigger/kube';
import { createRealRuntime } from '@outrigger/kube/node';
import { createMemoryApi } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { LIFETIMES, trustedBundle } from './authorities.js';
import { WEBHOOK_AUTHORITY, authorityStore } from './authority-store.js';
import { ServingIdentity } from './serving-identity.js';

const DAY = 24 * 60 * 60_000;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => silent };

/** Two replicas, and an API server that trusts the last published bundle. */
function setup() {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const real = createRealRuntime({ log: silent });
  const runtime: Runtime = { ...real, clock: { ...real.clock, now: () => now } };
  const client: Client = createClient({ transport: createMemoryApi({ runtime }).transport, runtime });
  let told = '';
  const replica = (): ServingIdentity =>
    new ServingIdentity({
      runtime,
      authorities: authorityStore(client, runtime, 'here', LIFETIMES),
      names: { dnsNames: ['webhook.here.svc'] },
      lifetimes: LIFETIMES,
      publish: async (bundle) => {
        told = bundle;
      },
    });
  return {
    client,
    replica,
    pass: (ms: number) => {
      now += ms;
    },
    trusts: (certificate: string) => isTrusted(certificate, told, now),
    authorities: () => told.match(/BEGIN CERTIFICATE/g)?.length ?? 0,
  };
}

function isTrusted(certificate: string, bundle: string, now: number): boolean {
  const one = new X509Certificate(certificate);
  const isValid = ({ validFrom, validTo }: X509Certificate): boolean => Date.parse(validFrom) <= now && now < Date.parse(validTo);
  const roots = bundle.split(/(?<=-----END CERTIFICATE-----\n?)(?=-----BEGIN)/).filter((pem) => pem.trim() !== '');
  return (
    isValid(one) &&
    roots.map((pem) => new X509Certificate(pem)).some((root) => isValid(root) && one.checkIssued(root) && one.verify(root.publicKey))
  );
}

describe('the authority of the webhook', () => {
  it('is the same for all replicas, in any order of their start', async () => {
    const { replica } = setup();
    const [a, b] = [replica(), replica()];
    await Promise.all([a.renew(), b.renew()]);
    expect(b.caBundle).toBe(a.caBundle);
  });

  it('is exchanged over its whole life without a moment in which a replica in use is not trusted', async () => {
    const { replica, pass, trusts, authorities } = setup();
    const replicas = [replica(), replica()];
    const serving = await Promise.all(replicas.map((one) => one.renew()));
    const seen = new Set<number>();
    pass(3500 * DAY);
    for (const [i, one] of replicas.entries()) serving[i] = await one.renew();
    for (let elapsed = 3500 * DAY; elapsed < 3700 * DAY; ) {
      // Take large steps, except around the rotation, where every check runs. One replica is always ahead of the other.
      const isNear = elapsed >= 3589.9 * DAY && elapsed < 3590.1 * DAY;
      const step = isNear ? LIFETIMES.checkMs : elapsed < 3589.9 * DAY ? Math.min(10 * DAY, 3589.9 * DAY - elapsed) : 5 * DAY;
      for (const [i, one] of replicas.entries()) {
        pass(step / 2);
        serving[i] = await one.renew();
        expect([elapsed / DAY, ...serving.map(({ certificate }) => trusts(certificate))]).toEqual([elapsed / DAY, true, true]);
        seen.add(authorities());
      }
      elapsed += step;
    }
    expect(seen).toEqual(new Set([1, 2]));
  });

  it('continues the state of an earlier manager, also in the middle of a rotation', async () => {
    const { client, replica, pass, trusts } = setup();
    const first = replica();
    const old = await first.renew();
    pass(3590 * DAY);
    await first.renew();
    const kept: Secret = await client.get(secrets, { namespace: 'here', name: WEBHOOK_AUTHORITY });
    expect(Object.keys(kept.data ?? {}).sort()).toEqual(['next.crt', 'next.key', 'tls.crt', 'tls.key']);
    const second = replica();
    const still = await second.renew();
    expect(new X509Certificate(still.certificate).checkIssued(new X509Certificate(first.caBundle))).toBe(true);
    expect(second.caBundle).toBe(first.caBundle);
    pass(LIFETIMES.publishMs);
    const next = await second.renew();
    expect(next).not.toBe(still);
    expect([trusts(still.certificate), trusts(next.certificate), trusts(old.certificate)]).toEqual([true, true, false]);
  });

  it('is created again if it expired while no manager ran', async () => {
    const { replica, pass, trusts } = setup();
    await replica().renew();
    pass(4000 * DAY);
    expect(trusts((await replica().renew()).certificate)).toBe(true);
  });

  it('the current, the next and the previous one are trusted', () => {
    const one = (certificate: string) => ({ certificate, privateKey: '', madeAt: 0, notAfter: 0 });
    expect(trustedBundle({ current: one('a'), next: one('b'), previous: 'c' })).toBe('abc');
    expect(trustedBundle({ current: one('a'), next: undefined, previous: undefined })).toBe('a');
  });
});
