// Attacks on a user who has the console open: by another site in the same browser, and by text that clusters report.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addOnRollouts } from '@outrigger/api';
import { installSamples } from '@outrigger/cli';
import { loadConnection } from '@outrigger/kube/node';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningConsole, startConsole } from '../../packages/cli/src/console/start.js';
import { APP } from '../../tools/console-app.mjs';
import { type CliWorld, startCliWorld } from '../cli/world.js';
import { fetched, launch, openPage } from './harness/browser.js';
import { type SyntheticServer, startSyntheticServer } from './harness/synthetic-server.js';

const PATHS = [
  '/',
  '/?group=region',
  '/addons/metrics',
  '/addons/metrics/rollout',
  '/clusters/cluster-00004',
  '/clusters/cluster-00004/addons/hello',
  '/activity',
  '/objects/core/v1/configmaps/default/settings',
];

/** One address of each view, and the event stream. */
const ROUTES = [
  '/api/fleet',
  '/api/summary',
  '/api/addons/hello',
  '/api/addons/hello/rollout',
  '/api/addons/hello/records/1',
  '/api/addons/hello/plan?revision=1',
  '/api/clusters/cluster1',
  '/api/clusters/cluster1/addons/hello',
  '/api/activity',
  '/api/object?version=v1&resource=configmaps&namespace=default&name=settings',
  '/api/session',
  '/api/stream',
] as const;

let browser: Browser;
let page: Page;
let problems: string[];

beforeAll(async () => {
  browser = await launch('--host-resolver-rules=MAP attacker.example 127.0.0.1');
});
afterAll(() => browser?.close());

describe('a page of another site', () => {
  let world: CliWorld;
  let console_: RunningConsole;
  let attacker: Server;
  let attackers: string;
  const origin = (): string => `http://127.0.0.1:${console_.port}`;

  beforeAll(async () => {
    world = await startCliWorld(1);
    const env = { KUBECONFIG: world.kubeconfig };
    const { connection } = await loadConnection({ env });
    console_ = await startConsole({ runtime: world.runtime, connection, env, hubName: 'test', port: 0 });
    await installSamples(world.fleet.hub);
    await world.outrigger('rollout', 'status', 'hello', '--watch', '--timeout', '60');
    attacker = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Free clusters</h1>'));
    await new Promise<void>((resolve) => attacker.listen(0, '127.0.0.1', resolve));
    attackers = `http://127.0.0.1:${(attacker.address() as AddressInfo).port}`;
    ({ page } = await openPage(browser));
    // The user is signed in, so this browser has the console's cookie. The attacker's page is on another port, which is another origin but
    // the same site, so SameSite alone does not keep the cookie out of its requests.
    await page.goto(console_.address());
    await page.locator('.grid a[data-state]').first().waitFor();
    await page.goto(attackers);
  });
  afterAll(async () => {
    await page.context().close();
    attacker.close();
    await console_.stop();
    await world.stop();
  });
  const paused = async (): Promise<boolean | undefined> => (await world.fleet.hub.get(addOnRollouts, { name: 'hello' })).spec?.paused;

  test('cannot read a view, not even with the cookie', async () => {
    for (const mode of ['cors', 'no-cors']) {
      const read = await page.evaluate(
        `fetch(${JSON.stringify(`${origin()}/api/fleet`)}, { credentials: 'include', mode: ${JSON.stringify(mode)} }).then((a) => a.text(), (e) => e.name)`,
      );
      expect([mode, read]).toEqual([mode, 'TypeError']);
    }
  });

  test('AT-19 cannot write, by a request or by a form', async () => {
    const body = JSON.stringify({ action: 'pause', addOn: 'hello' });
    const target = JSON.stringify(`${origin()}/api/actions`);
    await page.evaluate(
      `fetch(${target}, { method: 'POST', mode: 'no-cors', credentials: 'include', body: ${JSON.stringify(body)} }).catch(() => 0)`,
    );
    const header = `{ 'x-outrigger-console': '1', 'content-type': 'application/json' }`;
    const refused = await page.evaluate(
      `fetch(${target}, { method: 'POST', credentials: 'include', headers: ${header}, body: ${JSON.stringify(body)} }).then(() => 'sent', (e) => e.name)`,
    );
    expect(refused).toBe('TypeError');
    await page.evaluate(
      `(() => { const f = document.createElement('form'); f.method = 'POST'; f.enctype = 'text/plain'; f.action = ${target}; const i = document.createElement('input'); i.name = ${JSON.stringify(body)}; f.append(i); document.body.append(f); f.submit(); })()`,
    );
    await page.waitForURL(`${origin()}/api/actions`);
    expect(await paused()).toBeUndefined();
    await page.goto(attackers);
  });

  test('cannot frame it', async () => {
    await page.evaluate(
      `new Promise((done) => { const f = document.createElement('iframe'); f.onload = done; f.src = ${JSON.stringify(`${origin()}/`)}; document.body.append(f); })`,
    );
    const framed = page.frames().find((frame) => frame !== page.mainFrame());
    expect(framed?.url()).not.toContain('127.0.0.1');
    expect(await framed?.locator('.top').count()).toBe(0);
  });

  test('cannot reach it under a host name of its own', async () => {
    const answer = await page.goto(`http://attacker.example:${console_.port}/api/fleet`);
    expect(answer?.status()).toBe(403);
    expect(await page.locator('body').innerText()).not.toContain('cluster1');
  });

  test.each([
    ['no identity', {}],
    ['a user name only', { 'x-forwarded-user': 'admin', 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' }],
    ['an empty token', { authorization: 'Bearer ' }],
    ['a malformed token', { authorization: 'Bearer a.b.c' }],
    ['a cookie of its own', { cookie: 'outrigger=admin; __Host-outrigger=admin' }],
  ])('AT-18 AT-19 a browser with %s gets no view and sends no action', async (_, extraHTTPHeaders) => {
    const { page: stranger } = await openPage(browser, { extraHTTPHeaders });
    await stranger.goto(attackers);
    for (const path of ROUTES) {
      const answer = await stranger.goto(`${origin()}${path}`);
      expect([path, answer?.status()]).toEqual([path, 401]);
      expect(await answer?.text()).not.toContain('cluster1');
    }
    await stranger.goto(`${origin()}/`);
    const sent = await stranger.evaluate(
      `fetch('/api/actions', { method: 'POST', headers: { 'x-outrigger-console': '1', 'content-type': 'application/json' }, body: '{"action":"pause","addOn":"hello"}' }).then(({ status }) => status)`,
    );
    expect(sent).toBe(401);
    expect(await paused()).toBeUndefined();
    await stranger.context().close();
  });
});

describe('texts that clusters report', () => {
  const MARKUP = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\u202e\u001b[31m javascript:alert(1)`;
  /** Fields to which no markup is added, because the app compares or parses their values. All other text may come from a cluster. */
  const OURS = new Set([
    'type',
    'state',
    'phase',
    'layer',
    'change',
    'mark',
    'status',
    'action',
    'view',
    'epoch',
    'mode',
    'name',
    'cluster',
    'addOn',
  ]);
  let server: SyntheticServer;
  /** The text that is added to each field. */
  let addition = MARKUP;

  beforeAll(async () => {
    server = await startSyntheticServer(APP, { clusters: 12, addOns: 3 });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    addition = MARKUP;
    ({ page, problems } = await openPage(browser));
    await page.route(/\/api\/(?!stream|session)/, async (route) => {
      const answer = await fetched(route);
      await route.fulfill({ response: answer, json: poisoned(await answer.json()) });
    });
  });
  afterEach(async () => {
    await page.unrouteAll({ behavior: 'wait' });
    await page.context().close();
    expect(problems).toEqual([]);
  });

  test.each(PATHS)('that are very long leave %s usable, on a desktop and on a phone', async (path) => {
    addition = 'x'.repeat(20_000);
    await page.goto(server.origin + path);
    await page.locator('main').getByText('xxxxx').first().waitFor();
    for (const width of [1024, 360]) {
      await page.setViewportSize({ width, height: 768 });
      expect(await page.evaluate('document.documentElement.scrollWidth'), `${width} pixels`).toBeLessThanOrEqual(width);
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).waitFor();
  });

  test('that are very long leave a dialog usable', async () => {
    addition = 'x'.repeat(20_000);
    await page.setViewportSize({ width: 360, height: 720 });
    await page.goto(`${server.origin}/addons/metrics/rollout`);
    await page.getByRole('button', { name: /^Roll back to 2/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('xxxxx').first().waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(server.actions).toEqual([]);
  });

  function poisoned(value: unknown, key = ''): unknown {
    if (Array.isArray(value)) return value.map((item: unknown) => poisoned(item, key));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, poisoned(inner, field)]));
    return typeof value === 'string' && !OURS.has(key) && !/^\d{4}-\d\d-/.test(value) ? `${value}${addition}` : value;
  }

  test.each(PATHS)('AT-30 are text on %s, never markup or an address', async (path) => {
    await page.goto(server.origin + path);
    await page.locator('main').getByText('<img src=x').first().waitFor();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('main img, main script, main iframe').count()).toBe(0);
    const targets = (await page.evaluate('[...document.links].map((link) => link.protocol + link.host)')) as string[];
    expect(new Set(targets)).toEqual(new Set([`http:${new URL(server.origin).host}`]));
  });
});
