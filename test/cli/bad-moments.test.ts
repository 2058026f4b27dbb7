import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { toYaml } from '@outrigger/core/yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './world.js';

const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
afterAll(() => runtime.scope.close());

/** Pages that proxies and login servers respond with to every request. */
const PAGES: readonly {
  readonly name: string;
  readonly status: number;
  readonly type: string;
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

describe('a server that responds with web pages', () => {
  let server: Server;
  let page = PAGES[0];
  let folder: string;
  beforeAll(async () => {
    server = createServer((_, response) => {
      response.writeHead(page?.status ?? 500, { 'content-type': page?.type ?? '' });
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

  const CONTENTS: readonly (readonly [name: string, content: Buffer, line: number])[] = [
    ['program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0]), 1],
    ['archive', Buffer.from([0x1f, 0x8b, 8, 0, 0xff, 0xfe, 0x0a, 0x00]), 1],
    ['utf-16', Buffer.from('kind: ConfigMap\n', 'utf16le'), 1],
    ['latin-1 on line 2', Buffer.from('kind: ConfigMap\nname: Zo\u00eb\n', 'latin1'), 2],
  ];
  it.each(
    CONTENTS.flatMap(([name, content, line]) =>
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
