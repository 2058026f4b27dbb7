import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { toTime } from '@outrigger/core';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  issueClientCertificate,
  issueServerCertificate,
} from '@outrigger/core/x509';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { toYaml } from '@outrigger/core/yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './world.js';

const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
afterAll(() => runtime.scope.close());

/** Pages with which proxies and login servers respond to every request. */
const PAGES: readonly {
  readonly name: string;
  readonly status: number;
  readonly type: string;
  readonly location?: string;
  readonly body: string;
  readonly says: string;
}[] = [
  {
    name: 'a login page',
    status: 200,
    type: 'text/html; charset=utf-8',
    body: '<html><title>Please log in</title>',
    says: 'titled "Please log in" (status 200)',
  },
  {
    name: 'a gateway without a hub',
    status: 502,
    type: 'text/html',
    body: '<html><head><title>502 Bad Gateway</title>',
    says: '(status 502)',
  },
  {
    name: 'a redirect',
    status: 302,
    type: 'text/plain',
    location: 'https://login.example.com/?to=hub',
    body: '',
    says: 'redirects to https://login.example.com/?to=hub (status 302), which is not followed',
  },
  { name: 'a page without a title', status: 403, type: 'text/html', body: '<p>no</p>', says: 'web page (status 403)' },
];
const COMMANDS = [
  ['get', 'addons'],
  ['why', 'hello'],
  ['doctor'],
  ['upgrade', 'hello', '--to', 'v2'],
  ['rollout', 'status', 'hello'],
  ['accept', 'c1'],
];

describe('a server that responds with web pages or redirects', () => {
  let server: Server;
  let page = PAGES[0];
  let folder: string;
  beforeAll(async () => {
    server = createServer((_, response) => {
      response.writeHead(page?.status ?? 500, {
        'content-type': page?.type ?? '',
        ...(page?.location === undefined ? {} : { location: page.location }),
      });
      response.end(page?.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    folder = await mkdtemp(join(tmpdir(), 'outrigger-page-'));
    const { port } = server.address() as AddressInfo;
    const config = {
      clusters: [{ name: 'hub', cluster: { server: `http://127.0.0.1:${port}` } }],
      contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'me' } }],
      users: [{ name: 'me', user: { token: 't' } }],
      'current-context': 'hub',
    };
    await writeFile(join(folder, 'kubeconfig'), toYaml(config));
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  it.each(PAGES.flatMap((one) => COMMANDS.map((args) => ({ ...one, args, title: `${one.name}: ${args.join(' ')}` }))))(
    '$title',
    async ({ args, says, ...shown }) => {
      page = { ...shown, says };
      const ran = await runCommand(args, runtime, { KUBECONFIG: join(folder, 'kubeconfig') });
      expect(ran).toMatchObject({ code: 4, out: '' });
      expect(ran.note).toContain(says);
      expect(ran.note).toContain('check `server` in the kubeconfig, HTTPS_PROXY and NO_PROXY');
      expect(ran.note).not.toContain('<html');
    },
  );
});

const DAY = 86_400_000;
const NOW = Math.floor(Date.now() / 1000) * 1000;

/** Servers that do not accept a client certificate. A kube-apiserver responds with Unauthorized; other servers end the TLS handshake. */
const REFUSALS = [
  { name: 'a server that responds Unauthorized', endsHandshake: false },
  { name: 'a server that ends the handshake', endsHandshake: true },
];
const LIFETIMES = [
  {
    name: 'an expired client certificate',
    notBefore: NOW - 3 * DAY,
    notAfter: NOW - DAY,
    says: [`: expired on ${toTime(NOW - DAY)}: get a new one and connect again`],
  },
  {
    name: 'a client certificate that is not valid yet',
    notBefore: NOW + DAY,
    notAfter: NOW + 3 * DAY,
    says: [`it is valid from ${toTime(NOW + DAY)}, and the clock of this machine shows `, ': correct the clock, or ask an administrator'],
  },
];

describe('a client certificate that the hub does not accept', () => {
  let authority: CertificateAuthority;
  let folder: string;
  const servers: Http2SecureServer[] = [];
  const ports = new Map<boolean, number>();
  const serial = () => runtime.random.bytes(16);
  const issuer = () => ({ ca: authority.certificate, caKey: authority.key, serial: serial() });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrigger-certificate-'));
    const lifetime = { notBefore: NOW - 10 * DAY, notAfter: NOW + 10 * DAY };
    authority = await createCertificateAuthority(runtime.keys, { commonName: 'hub-ca', serial: serial(), ...lifetime });
    const serving = await issueServerCertificate(runtime.keys, { commonName: 'hub', ips: ['127.0.0.1'], ...issuer(), ...lifetime });
    for (const endsHandshake of [false, true]) {
      const server = createSecureServer(
        {
          cert: serving.certificate,
          key: serving.privateKey,
          ca: authority.certificate,
          requestCert: true,
          rejectUnauthorized: endsHandshake,
          allowHTTP1: true,
        },
        ({ stream }, response) => {
          expect((stream.session?.socket as TLSSocket | undefined)?.authorized).toBe(false);
          response.writeHead(401, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Unauthorized', code: 401 }));
        },
      );
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      servers.push(server);
      ports.set(endsHandshake, (server.address() as AddressInfo).port);
    }
  });
  afterAll(async () => {
    for (const server of servers) server.close();
    await rm(folder, { recursive: true });
  });

  /** Writes a kubeconfig whose user has a certificate of this lifetime, as data or as files. */
  async function kubeconfigOf(port: number, lifetime: { readonly notBefore: number; readonly notAfter: number }, asFiles: boolean) {
    const { certificate, privateKey } = await issueClientCertificate(runtime.keys, { commonName: 'ann', ...issuer(), ...lifetime });
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    await Promise.all([writeFile(join(folder, 'client.crt'), certificate), writeFile(join(folder, 'client.key'), privateKey)]);
    const user = asFiles
      ? { 'client-certificate': 'client.crt', 'client-key': 'client.key' }
      : { 'client-certificate-data': base64(certificate), 'client-key-data': base64(privateKey) };
    const ca = { 'certificate-authority-data': base64(authority.certificate) };
    const config = {
      clusters: [{ name: 'hub', cluster: { server: `https://127.0.0.1:${port}`, ...ca } }],
      contexts: [{ name: 'production', context: { cluster: 'hub', user: 'ann@hub' } }],
      users: [{ name: 'ann@hub', user }],
      'current-context': 'production',
    };
    const file = join(folder, 'kubeconfig');
    await writeFile(file, toYaml(config));
    return file;
  }

  it.each(
    REFUSALS.flatMap((refusal) =>
      LIFETIMES.flatMap((lifetime) =>
        COMMANDS.map((args, i) => ({ refusal, lifetime, args, i, title: `${lifetime.name}, ${refusal.name}: ${args.join(' ')}` })),
      ),
    ),
  )('$title', async ({ refusal: { endsHandshake }, lifetime, args, i }) => {
    const file = await kubeconfigOf(ports.get(endsHandshake) ?? 0, lifetime, i % 2 === 1);
    const ran = await runCommand(args, runtime, { KUBECONFIG: file });
    expect(ran).toMatchObject({ code: 4, out: '' });
    expect(ran.note).toContain(`client certificate of user "ann@hub" of context "production" of ${file}: `);
    for (const text of lifetime.says) expect(ran.note).toContain(text);
    expect(ran.note.trimEnd().split('\n')).toHaveLength(1);
  });

  it('is not named if the hub does not respond at all', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const file = await kubeconfigOf(port, { notBefore: NOW + DAY, notAfter: NOW + 3 * DAY }, false);
    const ran = await runCommand(['get', 'addons'], runtime, { KUBECONFIG: file });
    expect(ran).toMatchObject({ code: 4, note: expect.stringContaining('refused the connection') as string });
    expect(ran.note).not.toContain('certificate');
  });
});

describe('a data folder that cannot be used', () => {
  it.each([['up'], ['up --detach'], ['up --reset'], ['down']])('a folder in place of its process file: %s', async (command) => {
    const folder = await mkdtemp(join(tmpdir(), 'outrigger-data-'));
    try {
      await mkdir(join(folder, 'outrigger.pid'));
      expect(await runCommand([...command.split(' '), '--data-dir', folder], runtime)).toEqual({
        code: 1,
        out: '',
        note: `outrigger: cannot keep data in ${folder}: ${folder}/outrigger.pid: it is a folder where a file is expected (EISDIR): choose another --data-dir\n`,
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('words that no name can be', () => {
  const huge = 'n'.repeat(20_000);
  it.each([
    [['get', huge]],
    [[huge]],
    [['rollout', huge]],
    [['get', 'addons', `--${huge}`]],
    [['lint', '-f', `/nowhere/${huge}`]],
    [['--kubeconfig', `/nowhere/${huge}`, 'get', 'addons']],
    [['up', '--clusters', huge]],
    [['upgrade', 'hello', '--timeout', huge, '--to', 'v2']],
  ])('the answer to %# stays readable', async (args) => {
    const { code, out, note } = await runCommand(args, runtime, { KUBECONFIG: '/nowhere' });
    expect(code).not.toBe(0);
    expect(`${out}${note}`.length).toBeLessThan(1000);
    expect(note).toMatch(/…/);
  });
});

describe('files that are not text', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrigger-binary-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const NOT_UTF8: readonly (readonly [name: string, content: Buffer, line: number])[] = [
    ['program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0]), 1],
    ['archive', Buffer.from([0x1f, 0x8b, 8, 0, 0xff, 0xfe, 0x0a, 0x00]), 1],
    ['utf-16', Buffer.from('kind: ConfigMap\n', 'utf16le'), 1],
    ['latin-1 on line 2', Buffer.from('kind: ConfigMap\nname: Zo\u00eb\n', 'latin1'), 2],
  ];
  it.each(
    NOT_UTF8.flatMap(([name, content, line]) =>
      [
        ['lint', '-f'],
        ['render', '--cluster', 'c1', '-f'],
      ].map((args) => ({ name, content, line, args })),
    ),
  )('$args.0 of $name', async ({ name, content, line, args }) => {
    const file = join(folder, `${name}.yaml`);
    await writeFile(file, content);
    const { code, out, note } = await runCommand([...args, file], runtime);
    expect(code).toBe(5);
    expect(`${out}${note}`).toContain(`${file}:${line}: this is not a text file in UTF-8: name a YAML or JSON file, or save it as UTF-8`);
    expect(`${out}${note}`.split('\n').length).toBeLessThan(4);
  });
});
