import { describe, expect, it } from 'vitest';
import { inClusterConnection } from './in-cluster.js';
import { mergeKubeconfigs, parseKubeconfig } from './kubeconfig.js';
import { resolveKubeconfig, type ResolveOptions } from './resolve.js';

const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const DATA = Buffer.from(PEM).toString('base64');

/** A kubeconfig with one context `dev` and the given fields. */
function yaml(cluster: object, user: object = {}, context: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'dev',
    clusters: [{ name: 'one', cluster: { server: 'https://api:6443', ...cluster } }],
    users: [{ name: 'me', user }],
    contexts: [{ name: 'dev', context: { cluster: 'one', user: 'me', ...context } }],
  });
}

const resolve = (text: string, options?: ResolveOptions) => resolveKubeconfig(parseKubeconfig(text, '/home/me/.kube/config'), options);

describe('kubeconfig: the connection of a context', () => {
  const cases: { name: string; cluster?: object; user?: object; want: object }[] = [
    { name: 'an address alone', want: { server: 'https://api:6443' } },
    { name: 'a CA in the file', cluster: { 'certificate-authority-data': DATA }, want: { ca: { data: PEM } } },
    { name: 'a CA beside the file', cluster: { 'certificate-authority': 'ca.crt' }, want: { ca: { file: '/home/me/.kube/ca.crt' } } },
    { name: 'a CA elsewhere', cluster: { 'certificate-authority': '/etc/ca.crt' }, want: { ca: { file: '/etc/ca.crt' } } },
    {
      name: 'data before file',
      cluster: { 'certificate-authority': 'ca.crt', 'certificate-authority-data': DATA },
      want: { ca: { data: PEM } },
    },
    { name: 'the name to verify', cluster: { 'tls-server-name': 'kubernetes' }, want: { tlsServerName: 'kubernetes' } },
    { name: 'no verification', cluster: { 'insecure-skip-tls-verify': true }, want: { insecureSkipTlsVerify: true } },
    { name: 'a proxy', cluster: { 'proxy-url': 'http://proxy:3128' }, want: { proxyUrl: 'http://proxy:3128' } },
    { name: 'a token', user: { token: 'secret' }, want: { token: 'secret' } },
    { name: 'a token file', user: { tokenFile: 'token' }, want: { tokenFile: '/home/me/.kube/token' } },
    {
      name: 'a client certificate',
      user: { 'client-certificate': 'me.crt', 'client-key-data': DATA },
      want: { clientCertificate: { file: '/home/me/.kube/me.crt' }, clientKey: { data: PEM }, certificateUser: 'me' },
    },
    { name: 'a password', user: { username: 'me', password: 'x' }, want: { basic: { username: 'me', password: 'x' } } },
    {
      name: 'another user to act as',
      user: { as: 'you', 'as-groups': ['a', 'b'], 'as-uid': '7', 'as-user-extra': { scopes: ['x'] } },
      want: { impersonate: { user: 'you', groups: ['a', 'b'], uid: '7', extra: { scopes: ['x'] } } },
    },
    {
      name: 'a credential plugin on the PATH',
      user: {
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1',
          command: 'aws',
          args: ['eks'],
          env: [{ name: 'A', value: 'b' }],
          installHint: 'get it',
        },
      },
      want: {
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1',
          command: 'aws',
          args: ['eks'],
          env: [{ name: 'A', value: 'b' }],
          installHint: 'get it',
          provideClusterInfo: false,
          interactiveMode: 'IfAvailable',
        },
      },
    },
    {
      name: 'a credential plugin beside the file that wants to know the cluster',
      cluster: { extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }] },
      user: {
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1beta1',
          command: './plugin',
          provideClusterInfo: true,
          interactiveMode: 'Never',
        },
      },
      want: {
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1beta1',
          command: '/home/me/.kube/plugin',
          args: [],
          env: [],
          provideClusterInfo: true,
          interactiveMode: 'Never',
          clusterConfig: { audience: 'x' },
        },
      },
    },
  ];
  it.each(cases)('$name', ({ cluster = {}, user, want }) => {
    const { connection } = resolve(yaml(cluster, user));
    expect(connection).toEqual({ server: 'https://api:6443', origin: 'context "dev" of /home/me/.kube/config', ...want });
  });

  it('knows the namespace, other contexts, and contexts without a user', () => {
    expect(resolve(yaml({}, {}, { namespace: 'tools' }))).toMatchObject({ context: 'dev', namespace: 'tools' });
    const text = yaml({}, { token: 't' }).replace('"contexts":[', '"contexts":[{"name":"bare","context":{"cluster":"one"}},');
    expect(resolve(text, { context: 'bare' }).connection).toEqual({
      server: 'https://api:6443',
      origin: 'context "bare" of /home/me/.kube/config',
    });
  });

  it('reads YAML as people write it', () => {
    const text = `
apiVersion: v1
kind: Config
clusters:
- name: one
  cluster: {server: "https://api:6443", insecure-skip-tls-verify: yes}
contexts:
- name: only
  context:
    cluster: one
`;
    expect(resolve(text)).toMatchObject({ context: 'only', connection: { server: 'https://api:6443', insecureSkipTlsVerify: true } });
  });

  it('merges several files: the first entry of a name counts, paths stay relative to their own file', () => {
    const first = parseKubeconfig('{"users":[{"name":"me","user":{"tokenFile":"first"}}]}', '/a/config');
    const second = parseKubeconfig(yaml({ 'certificate-authority': 'ca' }, { tokenFile: 'second' }), '/b/config');
    const third = parseKubeconfig(yaml({}).replaceAll('dev', 'prod'), '/c/config');
    const merged = mergeKubeconfigs([first, second, third]);
    expect(merged.currentContext).toBe('dev');
    expect([...merged.contexts.keys()].sort()).toEqual(['dev', 'prod']);
    expect(resolveKubeconfig(merged).connection).toMatchObject({ tokenFile: '/a/first', ca: { file: '/b/ca' } });
  });

  it('finds the service account of a pod', () => {
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    expect(inClusterConnection(env)).toMatchObject({
      server: 'https://[fd00::1]:443',
      tokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
      ca: { file: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt' },
    });
    expect(() => inClusterConnection({})).toThrow('not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
  });
});

describe('kubeconfig: every mistake is one line with the problem, the place and the remedy', () => {
  const exec = (fields: object) => ({ exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'x', ...fields } });
  const file = '/home/me/.kube/config';
  const cases: { name: string; text: string; options?: ResolveOptions; says: string }[] = [
    {
      name: 'broken YAML',
      text: 'a: [',
      says: `${file}:1:5 (document 1): Flow sequence in block collection must be sufficiently indented and end with a ]: the file is not valid YAML`,
    },
    { name: 'not an object', text: '- a', says: `${file}: this is not a kubeconfig: expected fields such as clusters, contexts and users` },
    { name: 'another kind', text: '{"kind":"Pod"}', says: `${file}: this is not a kubeconfig but a Pod` },
    { name: 'an empty file', text: '', says: `${file}: current-context is not set: it has no contexts` },
    { name: 'a field that is not a list', text: '{"users":{}}', says: `${file}: users is not a list` },
    { name: 'an entry without a name', text: '{"users":[{"user":{}}]}', says: `${file}: users[0].name is missing` },
    { name: 'an unknown context', text: yaml({}), options: { context: 'prod' }, says: `${file}: no context named "prod": known are dev` },
    {
      name: 'no current context',
      text: '{"contexts":[{"name":"a"},{"name":"b"}]}',
      says: `${file}: current-context is not set: choose one of a, b`,
    },
    {
      name: 'an unknown cluster',
      text: yaml({}, {}, { cluster: 'two' }),
      says: `${file}: no cluster (of context "dev") named "two": known are one`,
    },
    { name: 'an unknown user', text: yaml({}, {}, { user: 'you' }), says: `${file}: no user (of context "dev") named "you": known are me` },
    { name: 'no server', text: yaml({ server: '' }), says: `${file}: clusters[0] "one": server is missing: write it as https://host:port` },
    {
      name: 'a server without scheme',
      text: yaml({ server: 'api:6443' }),
      says: `${file}: clusters[0] "one": server "api:6443" is neither https nor http: write it as https://host:port`,
    },
    ...['https://api:65536', 'https://api:99999/k8s', 'http://[::1]:0', 'https://me:secret@10.0.0.1:123456'].map((server) => ({
      name: `a port out of range in ${server}`,
      text: yaml({ server }),
      says: `${file}: clusters[0] "one": server "${server}" has port ${/(\d+)(\/.*)?$/.exec(server)?.[1] ?? ''}, which is out of range: use 1 to 65535`,
    })),
    {
      name: 'an address that is no URL',
      text: yaml({ server: 'https://api:port' }),
      says: `${file}: clusters[0] "one": server "https://api:port" is not a URL: write it as https://host:port`,
    },
    {
      name: 'bad base64',
      text: yaml({ 'certificate-authority-data': '!!' }),
      says: `${file}: clusters[0] "one": certificate-authority-data is not valid base64: it must be the file encoded with base64`,
    },
    {
      name: 'base64 of something else',
      text: yaml({}, { 'client-certificate-data': 'QUJD', 'client-key-data': DATA }),
      says: `${file}: users[0] "me": client-certificate-data holds no PEM: it must be a PEM file encoded with base64`,
    },
    {
      name: 'a certificate without key',
      text: yaml({}, { 'client-certificate-data': DATA }),
      says: `${file}: users[0] "me": client-key is missing: a client certificate needs its key`,
    },
    {
      name: 'a number for a token',
      text: yaml({}, { token: 12345 }),
      says: `${file}: users[0] "me": token is not a text: put it in quotes`,
    },
    {
      name: 'an old auth provider',
      text: yaml({}, { 'auth-provider': { name: 'gcp' } }),
      says: `${file}: users[0] "me": auth-provider "gcp" is not supported any more: use an exec plugin`,
    },
    {
      name: 'an old plugin API',
      text: yaml({}, exec({ apiVersion: 'client.authentication.k8s.io/v1alpha1' })),
      says: `${file}: users[0] "me": exec: apiVersion client.authentication.k8s.io/v1alpha1 is not supported: use one of client.authentication.k8s.io/v1, client.authentication.k8s.io/v1beta1`,
    },
    { name: 'a plugin without command', text: yaml({}, exec({ command: '' })), says: `${file}: users[0] "me": exec: command is missing` },
    {
      name: 'groups without a user',
      text: yaml({}, { 'as-groups': ['system:masters'] }),
      says: `${file}: users[0] "me": as is missing: groups, uid and extra need a user`,
    },
  ];
  it.each(cases)('$name', ({ text, options, says }) => {
    expect(() => resolve(text, options)).toThrow(expect.objectContaining({ name: 'ConfigError', message: says }));
  });
});

describe('AT-27 kubeconfig from an untrusted source', () => {
  const reaching: { name: string; cluster?: object; user?: object }[] = [
    { name: 'certificate-authority', cluster: { 'certificate-authority': '/etc/shadow' } },
    { name: 'client-certificate', user: { 'client-certificate': '/etc/shadow', 'client-key-data': DATA } },
    { name: 'client-key', user: { 'client-key': '/etc/shadow', 'client-certificate-data': DATA } },
    { name: 'tokenFile', user: { tokenFile: '/etc/shadow' } },
    { name: 'exec', user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh' } } },
    { name: 'auth-provider', user: { 'auth-provider': { name: 'gcp', config: { 'cmd-path': '/bin/sh' } } } },
  ];
  it.each(reaching)('may not use $name', ({ name, cluster = {}, user }) => {
    expect(() => resolve(yaml(cluster, user), { untrusted: true })).toThrow(
      `${name} is refused because the kubeconfig comes from an untrusted source`,
    );
  });

  it('cannot hide a file behind inline data', () => {
    const cluster = { 'certificate-authority': '/etc/shadow', 'certificate-authority-data': DATA };
    expect(() => resolve(yaml(cluster), { untrusted: true })).toThrow('certificate-authority is refused');
  });

  it('may carry inline credentials', () => {
    const user = { 'client-certificate-data': DATA, 'client-key-data': DATA, token: 't' };
    expect(resolve(yaml({ 'certificate-authority-data': DATA }, user), { untrusted: true }).connection).toMatchObject({
      token: 't',
      ca: { data: PEM },
    });
  });
});
