import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toYaml } from '@outrigger/core/yaml';
import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConnection } from '../adapters/load-connection.js';
import type { PemSource } from './connection.js';
import { parseKubeconfig } from './kubeconfig.js';
import { resolveKubeconfig } from './resolve.js';

// Uses the stock client as the reference: for files that it supports, both must produce the same connection.

const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const DATA = Buffer.from(PEM).toString('base64');
writeFileSync(join(folder, 'ca.crt'), PEM);

function kubeconfig(cluster: object, user: object, context: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'b',
    clusters: [
      { name: 'other', cluster: { server: 'https://other' } },
      { name: 'one', cluster: { server: 'https://api:6443', ...cluster } },
    ],
    users: [{ name: 'me', user }],
    contexts: [
      { name: 'a', context: { cluster: 'other' } },
      { name: 'b', context: { cluster: 'one', user: 'me', ...context } },
    ],
  };
}

const text = (source: PemSource | undefined): string | undefined =>
  source && ('data' in source ? source.data : readFileSync(source.file, 'utf8'));
const decoded = (data: string | null | undefined, file: string | null | undefined): string | undefined =>
  data ? Buffer.from(data, 'base64').toString() : file ? readFileSync(file, 'utf8') : undefined;

describe('kubeconfig as the stock client reads it', () => {
  const cases = [
    { name: 'an address alone', config: kubeconfig({}, {}) },
    {
      name: 'inline data',
      config: kubeconfig({ 'certificate-authority-data': DATA }, { 'client-certificate-data': DATA, 'client-key-data': DATA }),
    },
    {
      name: 'files beside it',
      config: kubeconfig({ 'certificate-authority': 'ca.crt' }, { 'client-certificate': './ca.crt', 'client-key': 'ca.crt' }),
    },
    { name: 'files by absolute path', config: kubeconfig({ 'certificate-authority': join(folder, 'ca.crt') }, {}) },
    { name: 'a token', config: kubeconfig({}, { token: 'abc' }) },
    { name: 'a password', config: kubeconfig({}, { username: 'me', password: 'x' }) },
    { name: 'another user to act as', config: kubeconfig({}, { as: 'you' }) },
    {
      name: 'the odd options of a cluster',
      config: kubeconfig({ 'insecure-skip-tls-verify': true, 'tls-server-name': 'kubernetes', 'proxy-url': 'http://p:1' }, {}),
    },
    { name: 'a namespace', config: kubeconfig({}, {}, { namespace: 'tools' }) },
    { name: 'a server below a path', config: kubeconfig({ server: 'https://rancher/k8s/clusters/c-1' }, {}) },
  ];
  it.each(cases)('$name', ({ config }) => {
    const file = join(folder, 'config');
    writeFileSync(file, toYaml(config));
    const oracle = new KubeConfig();
    oracle.loadFromFile(file);
    const [cluster, user] = [oracle.getCurrentCluster(), oracle.getCurrentUser()];

    const { connection, namespace, context } = resolveKubeconfig(parseKubeconfig(readFileSync(file, 'utf8'), file));
    expect({
      context,
      namespace,
      server: connection.server,
      ca: text(connection.ca),
      cert: text(connection.clientCertificate),
      key: text(connection.clientKey),
      token: connection.token,
      username: connection.basic?.username,
      password: connection.basic?.password,
      as: connection.impersonate?.user,
      skip: connection.insecureSkipTlsVerify ?? false,
      tlsServerName: connection.tlsServerName,
      proxyUrl: connection.proxyUrl,
    }).toEqual({
      context: oracle.getCurrentContext(),
      namespace: oracle.getContextObject(oracle.getCurrentContext())?.namespace,
      server: cluster?.server,
      ca: decoded(cluster?.caData, cluster?.caFile),
      cert: decoded(user?.certData, user?.certFile),
      key: decoded(user?.keyData, user?.keyFile),
      token: user?.token,
      username: user?.username,
      password: user?.password,
      as: user?.impersonateUser,
      skip: cluster?.skipTLSVerify,
      tlsServerName: cluster?.tlsServerName,
      proxyUrl: cluster?.proxyUrl,
    });
  });
});

describe('finding a kubeconfig', () => {
  const write = (name: string, content: object): string => {
    const file = join(folder, name);
    writeFileSync(file, JSON.stringify(content));
    return file;
  };
  const home = join(folder, 'nowhere');

  it('takes the given file before KUBECONFIG', async () => {
    const given = write('given', kubeconfig({ server: 'https://given' }, {}));
    const named = write('named', kubeconfig({ server: 'https://named' }, {}));
    expect((await loadConnection({ kubeconfig: given, env: { KUBECONFIG: named }, home })).connection.server).toBe('https://given');
    expect((await loadConnection({ env: { KUBECONFIG: named }, home })).connection.server).toBe('https://named');
  });

  it('passes over files of KUBECONFIG that do not exist, and merges the others', async () => {
    const first = write('first', { clusters: [{ name: 'one', cluster: { server: 'https://first' } }] });
    const second = write('second', kubeconfig({ server: 'https://second' }, { token: 't' }));
    const { connection } = await loadConnection({ env: { KUBECONFIG: `${join(folder, 'none')}:${first}::${second}` }, home });
    expect(connection).toMatchObject({ server: 'https://first', token: 't' });
  });

  const missing: { name: string; options: Parameters<typeof loadConnection>[0]; says: string }[] = [
    { name: 'a given file that does not exist', options: { kubeconfig: '/none' }, says: 'kubeconfig /none: no such file: check the path' },
    {
      name: 'KUBECONFIG naming nothing that exists',
      options: { env: { KUBECONFIG: '/none:/nil' } },
      says: 'KUBECONFIG: /none, /nil: no such file: check the path',
    },
    {
      name: 'no kubeconfig at all',
      options: { env: {}, home },
      says: `no kubeconfig: ${home}/.kube/config does not exist, KUBECONFIG is not set and this is not a pod: name one with --kubeconfig`,
    },
  ];
  it.each(missing)('reports $name', async ({ options, says }) => {
    await expect(loadConnection(options)).rejects.toMatchObject({ name: 'ConfigError', message: says });
  });

  it('falls back to the service account of the pod', async () => {
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
    expect(await loadConnection({ env, home })).toMatchObject({ context: 'in-cluster', connection: { server: 'https://10.0.0.1:443' } });
  });
});
