import type { Secret } from '@outrigger/api';
import { createCertificateAuthority, issueClientCertificate } from '@outrigger/core/x509';
import { ApiError, type ApiResponse, type Transport, decodeText, encodeText } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { createRealRuntime } from '@outrigger/kube/node';
import { beforeAll, describe, expect, it } from 'vitest';
import { hubKubeconfig } from '../credentials/hub-kubeconfig.js';
import { defaultAgentName } from './agent-name.js';
import { type Bootstrap, readBootstrap, readEndpoint, sameEndpoint, spentBootstrap } from './bootstrap.js';
import { holdCredential } from './held-credential.js';
import type { OwnIdentity } from './own-spec.js';
import { Refusals, reportingRefusals } from './refusals.js';
import { Wake } from './wake.js';

const runtime = createRealRuntime();
const NOW = 1_767_225_600_000;
const HOUR = 3_600_000;
const identity: OwnIdentity = { clusterName: 'c1', agentName: 'agent', namespace: 'ns', certificateSeconds: undefined };
const CA = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';

function bootstrapOf(server: string, user: object = { token: 't' }, more: object = {}): string {
  return JSON.stringify({
    clusters: [{ name: 'hub', cluster: { server, 'certificate-authority-data': btoa(CA), ...more } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'hub', user: 'u' } }],
    'current-context': 'x',
  });
}

describe('a bootstrap kubeconfig', () => {
  it('contains the hub’s address and the credential', () => {
    const { endpoint, connection } = readBootstrap(bootstrapOf('https://hub:6443', { token: 't' }, { 'proxy-url': 'http://p:80' }), 's');
    expect(endpoint).toEqual({ server: 'https://hub:6443', name: 'hub', ca: CA, proxyUrl: 'http://p:80' });
    expect(connection.token).toBe('t');
  });

  const REACHED: readonly object[] = [
    {},
    { 'proxy-url': 'http://p:80' },
    { 'tls-server-name': 'hub.internal' },
    { 'proxy-url': 'https://p:80', 'tls-server-name': 'hub.internal' },
  ];
  it.each(REACHED)('is not needed after the join: the stored credential reaches the hub in the same way: %o', (more) => {
    const { endpoint, connection } = readBootstrap(bootstrapOf('https://hub:6443', {}, more), 's');
    const stored = readEndpoint(hubKubeconfig(endpoint, 'certificate'), 'o');
    expect(stored).toEqual(endpoint);
    const { token: _, origin: __, ...reached } = connection;
    expect(spentBootstrap(stored ?? { server: '', name: '' }).connection).toEqual({ ...reached, origin: 'the credential of this agent' });
    for (const other of REACHED.filter((one) => one !== more))
      expect(sameEndpoint(endpoint, readBootstrap(bootstrapOf('https://hub:6443', {}, other), 's').endpoint)).toBe(false);
  });

  it.each([{ tokenFile: '/etc/passwd' }, { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh' } }])(
    'AT-27 may not reach for the machine: %o',
    (user) => expect(() => readBootstrap(bootstrapOf('https://hub', user), 's')).toThrow('untrusted'),
  );
});

describe('the credential an agent holds', () => {
  const bootstrap: Bootstrap = readBootstrap(bootstrapOf('https://hub:6443'), 's');
  let pair: { certificate: string; privateKey: string };
  const issue = async (commonName: string, notAfter: number): Promise<{ certificate: string; privateKey: string }> => {
    const serial = runtime.random.bytes(16);
    const validity = { notBefore: NOW - HOUR, serial };
    const ca = await createCertificateAuthority(runtime.keys, { commonName: 'ca', ...validity, notAfter: NOW + 100 * HOUR });
    return issueClientCertificate(runtime.keys, { commonName, ca: ca.certificate, caKey: ca.key, ...validity, notAfter });
  };
  beforeAll(async () => {
    pair = await issue('system:open-cluster-management:c1:agent', NOW + HOUR);
  });

  function secret(changes: Readonly<Record<string, string | undefined>> = {}): Secret {
    const kubeconfig = hubKubeconfig(bootstrap.endpoint, 'certificate');
    const data = { 'tls.crt': pair.certificate, 'tls.key': pair.privateKey, kubeconfig, ...changes };
    const encoded = Object.entries(data).flatMap(([name, value]) => (value === undefined ? [] : [[name, encodeText(value)] as const]));
    return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: Object.fromEntries(encoded) };
  }
  const judge = async (given: Secret | undefined, now = NOW, at = bootstrap): Promise<string> => {
    const held = await holdCredential(given, at, identity, { keys: runtime.keys, now });
    return held.type === 'usable' ? 'usable' : held.why;
  };

  it('is usable at the hub it was made for', async () => {
    const held = await holdCredential(secret(), bootstrap, identity, { keys: runtime.keys, now: NOW });
    expect(held).toMatchObject({
      type: 'usable',
      notAfter: NOW + HOUR,
      connection: { server: 'https://hub:6443', clientCertificate: { data: pair.certificate }, clientKey: { data: pair.privateKey } },
    });
    expect(held).not.toHaveProperty('connection.token');
  });

  it('is usable if names and authorities contain any characters', async () => {
    const more = { 'certificate-authority-data': encodeText(`# Főtanúsítvány, é\n${CA}`) };
    const written = bootstrapOf('https://hub:6443', { token: 't' }, more).replaceAll('"hub"', '"Zürich, śląsk"');
    const anywhere = readBootstrap(decodeText(encodeText(written)), 's');
    const kubeconfig = hubKubeconfig(anywhere.endpoint, 'certificate');
    expect(await judge(secret({ kubeconfig }), NOW, anywhere)).toBe('usable');
  });

  it('is not usable if a part of it is wrong', async () => {
    expect(await judge(undefined)).toBe('there is no certificate yet');
    expect(await judge(secret({ 'tls.key': undefined }))).toBe('there is no certificate yet');
    expect(await judge(secret({ 'tls.crt': 'x' }))).toBe('the certificate cannot be read');
    expect(await judge(secret({ kubeconfig: '{' }))).toBe('the bootstrap kubeconfig names another hub');
    expect(await judge(secret(), NOW + HOUR)).toBe('the certificate has expired');
    expect(await judge(secret(), NOW, readBootstrap(bootstrapOf('https://other:6443'), 's'))).toBe(
      'the bootstrap kubeconfig names another hub',
    );
    const others = await issue('system:open-cluster-management:c1:agent2', NOW + HOUR);
    expect(await judge(secret({ 'tls.crt': others.certificate }))).toBe('the certificate names another agent');
  });
});

describe('the default name of an agent', () => {
  const named = (namespace: string, data?: Readonly<Record<string, string>>): Promise<string> => {
    const get = async (): Promise<Secret> => {
      if (data) return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data };
      throw new ApiError('NotFound', 'no such Secret');
    };
    return defaultAgentName({ get } as unknown as Client, namespace);
  };
  it('is the one it has joined under', async () => expect(await named('ns', { 'agent-name': btoa('x7k2p') })).toBe('x7k2p'));
  it('is not that of another agent on the cluster', async () => {
    const names = await Promise.all(['open-cluster-management-agent', 'ns', 'ns2'].map((namespace) => named(namespace)));
    expect(names[0]).toBe('agent');
    expect(new Set(names).size).toBe(3);
    expect(await named('ns')).toBe(names[1]);
  });
});

describe('a hub that refuses the agent', () => {
  it('is believed after it has refused for 15 s, not at the first time', async () => {
    let [status, now, refusals] = [401, 0, 0];
    const answer = async (): Promise<ApiResponse> => ({ status, headers: {} });
    const inner: Transport = { send: answer, close: async () => undefined };
    const refusing = new Refusals({ now: () => 0, monotonic: () => now });
    const transport = reportingRefusals(inner, refusing, () => refusals++);
    const ask = async (at: number, next: number): Promise<void> => {
      [now, status] = [at, next];
      await transport.send({ method: 'GET', path: '/' });
    };
    await ask(0, 401);
    await ask(10_000, 200);
    await ask(16_000, 401);
    expect(refusals).toBe(0);
    await ask(31_000, 401);
    expect(refusals).toBe(1);
  });
});

describe('a wake', () => {
  it('is kept once for a waiter that comes later', async () => {
    const wake = new Wake(new AbortController().signal);
    wake.wake();
    wake.wake();
    await wake.next();
    let isAwake = false;
    const sleeping = wake.next().then(() => {
      isAwake = true;
    });
    await Promise.resolve();
    expect(isAwake).toBe(false);
    wake.wake();
    await sleeping;
    wake.wake();
    wake.clear();
    const after = wake.next().then(() => 'woken');
    expect(await Promise.race([after, Promise.resolve('asleep')])).toBe('asleep');
    wake.wake();
    expect(await after).toBe('woken');
  });
});
