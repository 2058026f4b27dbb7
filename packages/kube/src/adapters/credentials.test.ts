import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ManualRuntime, manualRuntime } from '../client/fixtures.js';
import type { ConnectionConfig, ExecPlugin } from '../kubeconfig/connection.js';
import { createCredentials } from './credentials.js';
import { certificates, json, startTlsServer } from './http/fixtures.js';
import { createHttpTransport } from './http/transport.js';
import { createRealRuntime } from './real-runtime.js';

const CANARY = 'canary-secret';
let folder: string;
let runtime: ManualRuntime;
const path = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'credentials-'));
});
beforeEach(() => {
  runtime = manualRuntime();
});
afterAll(() => rmSync(folder, { recursive: true }));

const connection = (more: Partial<ConnectionConfig>): ConnectionConfig => ({ server: 'https://api:6443', ...more });
const credentialsOf = (more: Partial<ConnectionConfig>) => createCredentials(connection(more), runtime, { PATH: process.env['PATH'] });

/** A plugin written as a shell script. Every run appends a line to `runs`. */
function plugin(script: string, more: Partial<ExecPlugin> = {}): ExecPlugin {
  const command = path('plugin.sh');
  writeFileSync(path('runs'), '');
  writeFileSync(command, `#!/bin/sh\necho run >> ${path('runs')}\n${script}\n`);
  chmodSync(command, 0o755);
  return {
    apiVersion: 'client.authentication.k8s.io/v1',
    command,
    args: [],
    env: [],
    provideClusterInfo: false,
    interactiveMode: 'Never',
    ...more,
  };
}
const runs = (): number => readFileSync(path('runs'), 'utf8').split('\n').length - 1;
const answer = (status: object, apiVersion = 'client.authentication.k8s.io/v1'): string =>
  `echo '${JSON.stringify({ kind: 'ExecCredential', apiVersion, status })}'`;

async function failureOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'it succeeded',
    (error: unknown) => String(error),
  );
}

describe('credentials', () => {
  const fixed: { name: string; config: Partial<ConnectionConfig>; want: object }[] = [
    { name: 'anonymous', config: {}, want: {} },
    { name: 'a token', config: { token: 'abc' }, want: { authorization: 'Bearer abc' } },
    { name: 'a token that was copied with spaces and a line break', config: { token: ' abc \n' }, want: { authorization: 'Bearer abc' } },
    { name: 'a password', config: { basic: { username: 'me', password: 'x:y' } }, want: { authorization: `Basic ${btoa('me:x:y')}` } },
  ];
  it.each(fixed)('$name', async ({ config, want }) => {
    expect((await credentialsOf(config).current()).headers).toEqual(want);
  });

  it.each([`${CANARY} b`, `${CANARY}\nb`, `${CANARY}\u0000`, `${CANARY}ä`])(
    'a token that no header can contain is refused, and not printed: %j',
    async (token) => {
      const failure = await failureOf(credentialsOf({ token, origin: 'the bootstrap Secret' }).current());
      expect(failure).toContain('token of the bootstrap Secret: contains spaces, line breaks or other characters');
      expect(failure).not.toContain(CANARY);
    },
  );

  it('a token file is read again, but not for every request', async () => {
    writeFileSync(path('token'), 'first\n');
    const credentials = credentialsOf({ tokenFile: path('token'), token: 'ignored' });
    const token = async () => (await credentials.current()).headers['authorization'];
    expect(await token()).toBe('Bearer first');
    writeFileSync(path('token'), 'second\n');
    expect(await token()).toBe('Bearer first');
    await runtime.advance(30_000);
    expect(await token()).toBe('Bearer second');
  });

  it('a 401 reads the token file at once and returns whether the token changed', async () => {
    writeFileSync(path('token'), 'first');
    const credentials = credentialsOf({ tokenFile: path('token') });
    const used = await credentials.current();
    expect(await credentials.refresh(used)).toBe(false);
    writeFileSync(path('token'), 'second');
    expect(await credentials.refresh(used)).toBe(true);
    expect((await credentials.current()).headers).toEqual({ authorization: 'Bearer second' });
  });

  it('certificate files that were replaced give new TLS material; unchanged ones the same', async () => {
    const { client, nextClient } = certificates();
    writeFileSync(path('tls.crt'), client.cert);
    writeFileSync(path('tls.key'), client.key);
    const credentials = createCredentials(
      connection({ clientCertificate: { file: path('tls.crt') }, clientKey: { file: path('tls.key') } }),
      { ...runtime, clock: { ...runtime.clock, now: () => Date.now() } },
      {},
    );
    const first = (await credentials.current()).tls;
    await runtime.advance(30_000);
    expect((await credentials.current()).tls).toBe(first);
    writeFileSync(path('tls.crt'), nextClient.cert);
    writeFileSync(path('tls.key'), nextClient.key);
    await runtime.advance(30_000);
    expect((await credentials.current()).tls).toEqual({ cert: nextClient.cert, key: nextClient.key });
  });

  const unreadable: { name: string; config: () => Partial<ConnectionConfig>; says: () => string }[] = [
    {
      name: 'a missing token file',
      config: () => ({ tokenFile: path('none') }),
      says: () => `token file ${path('none')}: no such file: check the path`,
    },
    {
      name: 'a CA that is a folder',
      config: () => ({ ca: { file: folder } }),
      says: () => `certificate authority ${folder}: is a directory, not a file`,
    },
    {
      name: 'text that is not a certificate',
      config: () => ({ clientCertificate: { data: 'x' }, clientKey: { data: 'y' }, origin: 'user "me"' }),
      says: () => 'client certificate of user "me": not a PEM certificate',
    },
  ];
  it.each(unreadable)('reports what is wrong with $name', async ({ config, says }) => {
    expect(await failureOf(credentialsOf(config()).current())).toBe(`ConfigError: ${says()}`);
  });
});

describe('credential plugins', () => {
  it('run once until the credential is about to expire', async () => {
    const expirationTimestamp = new Date(runtime.clock.now() + 600_000).toISOString();
    const credentials = credentialsOf({ exec: plugin(answer({ token: 'abc', expirationTimestamp })) });
    expect((await Promise.all([credentials.current(), credentials.current()])).map((it) => it.headers)).toEqual([
      { authorization: 'Bearer abc' },
      { authorization: 'Bearer abc' },
    ]);
    await runtime.advance(500_000);
    await credentials.current();
    expect(runs()).toBe(1);
    await runtime.advance(80_000);
    await credentials.current();
    expect(runs()).toBe(2);
  });

  it('are run again after a 401', async () => {
    const credentials = credentialsOf({ exec: plugin(answer({ token: 'abc' })) });
    expect(await credentials.refresh(await credentials.current())).toBe(false);
    expect(runs()).toBe(2);
  });

  it('are run once for all requests that were sent with the same credential', async () => {
    const credentials = credentialsOf({ exec: plugin(`token=$(wc -l < ${path('runs')})\n${answer({ token: `'$((token))'` })}`) });
    const used = await credentials.current();
    expect([await credentials.refresh(used), await credentials.refresh(used), runs()]).toEqual([true, true, 2]);
  });

  it('may hand out a client certificate', async () => {
    const { client } = certificates();
    writeFileSync(
      path('credential.json'),
      JSON.stringify({
        kind: 'ExecCredential',
        apiVersion: 'client.authentication.k8s.io/v1beta1',
        status: { clientCertificateData: client.cert, clientKeyData: client.key },
      }),
    );
    const exec = plugin(`cat ${path('credential.json')}`, { apiVersion: 'client.authentication.k8s.io/v1beta1' });
    const credentials = createCredentials(connection({ exec }), createRealRuntime(), process.env);
    expect((await credentials.current()).tls).toEqual({ cert: client.cert, key: client.key });
  });

  it('get the request, the cluster, their arguments and their environment', async () => {
    const script = `printf '%s\\n%s\\n%s' "$KUBERNETES_EXEC_INFO" "$EXTRA" "$*" > ${path('asked')}; ${answer({ token: 'abc' })}`;
    const exec = plugin(script, {
      args: ['one', 'two'],
      env: [{ name: 'EXTRA', value: 'more' }],
      provideClusterInfo: true,
      clusterConfig: { audience: 'x' },
    });
    await credentialsOf({ exec, ca: { data: 'PEM' }, tlsServerName: 'name' }).current();
    const [info = '', extra, args] = readFileSync(path('asked'), 'utf8').split('\n');
    expect(JSON.parse(info)).toEqual({
      kind: 'ExecCredential',
      apiVersion: 'client.authentication.k8s.io/v1',
      spec: {
        interactive: false,
        cluster: {
          server: 'https://api:6443',
          'tls-server-name': 'name',
          'certificate-authority-data': btoa('PEM'),
          config: { audience: 'x' },
        },
      },
    });
    expect([extra, args]).toEqual(['more', 'one two']);
  });

  const failing: { name: string; exec: () => ExecPlugin; says: string }[] = [
    {
      name: 'is not there',
      exec: () => plugin('', { command: 'no-such-plugin', installHint: 'See example.com.\nmore' }),
      says: 'credential plugin no-such-plugin: not found: install it or put it on the PATH. See example.com.',
    },
    { name: 'fails', exec: () => plugin('echo "session expired" >&2; exit 3'), says: 'it ended with 3: session expired' },
    { name: 'prints nothing', exec: () => plugin('exit 0'), says: 'its output is not JSON (at its start)' },
    { name: 'answers nonsense', exec: () => plugin(`echo '{"token":"${CANARY}'`), says: 'its output is not JSON' },
    {
      name: 'answers another kind',
      exec: () => plugin(`echo '{"kind":"Pod","token":"${CANARY}"}'`),
      says: 'its output is not an ExecCredential',
    },
    {
      name: 'answers in another version',
      exec: () => plugin(answer({ token: CANARY }, 'client.authentication.k8s.io/v1beta1')),
      says: 'but client.authentication.k8s.io/v1 was asked for',
    },
    { name: 'answers without a credential', exec: () => plugin(answer({})), says: 'its answer has neither a token nor a certificate' },
    { name: 'needs a terminal', exec: () => plugin('', { interactiveMode: 'Always' }), says: 'it needs a terminal' },
  ];
  it.each(failing)('one that $name is reported in one line, without its output', async ({ exec, says }) => {
    const message = await failureOf(credentialsOf({ exec: exec() }).current());
    expect(message).toContain(says);
    expect(message).not.toContain('\n');
    expect(message).not.toContain(CANARY);
  });
});

describe('transport and credentials', () => {
  it('repeats a request after a 401 once, and only with changed credentials', async () => {
    const real = createRealRuntime();
    const seen: string[] = [];
    const server = await startTlsServer((request, response) => {
      seen.push(request.headers.authorization ?? '');
      json(response, {}, request.headers.authorization === 'Bearer good' ? 200 : 401);
    });
    writeFileSync(path('token'), 'old');
    const transport = createHttpTransport({ server: server.url, ca: { data: certificates().ca.cert }, tokenFile: path('token') }, real, {
      env: {},
    });
    expect((await transport.send({ method: 'GET', path: '/' })).status).toBe(401);
    writeFileSync(path('token'), 'good');
    expect((await transport.send({ method: 'GET', path: '/' })).status).toBe(200);
    expect(seen).toEqual(['Bearer old', 'Bearer old', 'Bearer good']);
    await transport.close();
    await server.stop();
    real.scope.close();
  });

  it('repeats a request whose 401 arrives after another request has renewed the credentials', async () => {
    const real = createRealRuntime();
    let refuse: () => void = () => undefined;
    let receive: () => void = () => undefined;
    const received = new Promise<void>((resolve) => {
      receive = resolve;
    });
    const server = await startTlsServer((request, response) => {
      const answerNow = (): void => json(response, {}, request.headers.authorization === 'Bearer good' ? 200 : 401);
      if (request.url !== '/late' || request.headers.authorization === 'Bearer good') return answerNow();
      refuse = answerNow;
      receive();
    });
    writeFileSync(path('token'), 'old');
    const config = { server: server.url, ca: { data: certificates().ca.cert }, tokenFile: path('token') };
    const transport = createHttpTransport(config, real, { env: {} });
    const late = transport.send({ method: 'GET', path: '/late' });
    await received;
    writeFileSync(path('token'), 'good');
    expect((await transport.send({ method: 'GET', path: '/' })).status).toBe(200);
    refuse();
    expect((await late).status).toBe(200);
    await transport.close();
    await server.stop();
    real.scope.close();
  });

  it('sends every impersonated group as a header of its own', async () => {
    const real = createRealRuntime();
    let raw: string[] = [];
    const server = await startTlsServer((request, response) => {
      raw = request.rawHeaders;
      json(response, {});
    });
    const impersonate = { user: 'you', groups: ['a', 'b,c'], extra: { 'example.com/Scope': ['x'] } };
    const transport = createHttpTransport({ server: server.url, ca: { data: certificates().ca.cert }, impersonate }, real, { env: {} });
    await transport.send({ method: 'GET', path: '/' });
    const pairs = raw.flatMap((name, i) => (i % 2 === 0 && name.startsWith('impersonate') ? [`${name}=${raw[i + 1]}`] : []));
    expect(pairs).toEqual([
      'impersonate-user=you',
      'impersonate-group=a',
      'impersonate-group=b,c',
      'impersonate-extra-example.com%2Fscope=x',
    ]);
    await transport.close();
    await server.stop();
    real.scope.close();
  });
});
