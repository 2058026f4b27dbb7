import { createRealRuntime } from '@outrigger/kube/node';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../sessions/sessions.js';
import { type LaptopAuthentication, laptopAuthentication } from '../sessions/authentication.js';
import { SEES_ALL } from '../views/sight.js';
import { type App, type AppOptions, createApp } from './app.js';
import { type HttpAnswer, type HttpRequest, ViewFailure } from './messages.js';

const HOST = '127.0.0.1:1234';
const MARKUP = '<script>alert(1)</script>"\u202e\u001b[31m';
const runtime = createRealRuntime();
const session: Session = {
  identity: { user: 'me', uid: '', groups: [], extra: {} },
  client: {} as Session['client'],
  sight: { ...SEES_ALL, fingerprint: '' },
  mayChangeAddOns: true,
};

let authentication: LaptopAuthentication;
let app: App;
let cookie = '';

const options = (): AppOptions => ({
  runtime,
  authentication,
  assets: new Map([['index.html', { body: new TextEncoder().encode('<!doctype html>'), type: 'text/html; charset=utf-8' }]]),
  hosts: () => [HOST],
  hubName: 'hub',
  version: '0',
  notReady: () => undefined,
  epoch: 'e',
  sequence: () => 7,
  view: async () => JSON.stringify({ name: MARKUP }),
  hasTooManyStreams: () => false,
  stream: () => () => undefined,
});

beforeEach(async () => {
  authentication = laptopAuthentication(runtime, session, () => '1234');
  app = createApp(options());
  const opened = await app(get(authentication.oneTimePath()));
  cookie = opened.headers['set-cookie']?.split(';')[0] ?? '';
});

function get(url: string, headers: HttpRequest['headers'] = {}): HttpRequest {
  return { method: 'GET', url, headers: { host: HOST, ...headers }, body: '' };
}

function post(url: string, headers: HttpRequest['headers'], body = '{}'): HttpRequest {
  return { method: 'POST', url, headers: { host: HOST, cookie, 'content-type': 'application/json', ...headers }, body };
}

function bodyOf(answer: HttpAnswer): string {
  return 'body' in answer ? String(answer.body) : '';
}

const VIEWS = [
  '/api/session',
  '/api/fleet',
  '/api/summary',
  '/api/addons/a',
  '/api/addons/a/rollout',
  '/api/clusters/c',
  '/api/clusters/c/addons/a',
];
const ROUTES = [
  ...VIEWS,
  '/api/activity',
  '/api/object?version=v1&resource=secrets&name=a',
  '/api/stream?view=/api/fleet',
  '/api',
  '/api/nothing',
];

describe('a request without a session', () => {
  it.each(ROUTES)('AT-19 gets 401 at %s', async (url) => {
    expect((await app(get(url))).status).toBe(401);
    for (const wrong of ['outrigger-1234=', 'outrigger-1234=undefined', 'outrigger-1=x', '; ;='])
      expect((await app(get(url, { cookie: wrong }))).status).toBe(401);
    expect((await app(get(url, { authorization: 'Bearer x' }))).status).toBe(401);
  });

  it.each([
    ['POST', '/api/actions'],
    ['DELETE', '/api/session'],
    ['POST', '/api/fleet'],
    ['PUT', '/api/summary'],
  ])('AT-19 gets 401 for %s %s', async (method, url) => {
    for (const more of [{ 'x-outrigger-console': '1' }, {}, { 'content-type': 'text/plain' }])
      expect((await app({ ...post(url, { cookie: undefined, ...more }), method })).status).toBe(401);
  });
});

describe('the one-time address', () => {
  it('opens the console once', async () => {
    const path = authentication.oneTimePath();
    const first = await app(get(path));
    expect(first).toMatchObject({ status: 303, headers: { location: '/' } });
    expect(first.headers['set-cookie']).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    const second = await app(get(path));
    expect(second.status).toBe(401);
    expect(second.headers['set-cookie']).toBeUndefined();
  });

  it('that was used sends a browser with a session to the console, and only that browser', async () => {
    const path = authentication.oneTimePath();
    await app(get(path));
    const again = await app(get(path, { cookie }));
    expect(again).toMatchObject({ status: 303, headers: { location: '/' } });
    expect(again.headers['set-cookie']).toBeUndefined();
    expect((await app(get(path, { cookie: 'outrigger-1234=x' }))).status).toBe(401);
  });

  it('is what a browser without a session is asked for, not a token', async () => {
    expect(JSON.parse(bodyOf(await app(get('/api/session'))))).toMatchObject({ code: 'not-opened' });
  });

  it.each(['/open', '/open?token=', '/open?token=x', '/open?token=undefined'])('is not %s', async (url) => {
    expect((await app(get(url))).status).toBe(401);
  });

  it('is not used up by a browser that looks ahead', async () => {
    const path = authentication.oneTimePath();
    expect((await app(get(path, { 'sec-purpose': 'prefetch;prerender' }))).status).toBe(400);
    expect((await app(get(path))).status).toBe(303);
  });

  it('gives a cookie that ends with the sign-out', async () => {
    expect((await app(get('/api/session', { cookie }))).status).toBe(200);
    expect((await app({ ...post('/api/session', { 'x-outrigger-console': '1' }), method: 'DELETE' })).status).toBe(204);
    expect((await app(get('/api/session', { cookie }))).status).toBe(401);
  });
});

describe('pages of other sites', () => {
  it.each(['attacker.example', `attacker.example:1234`, '127.0.0.1', '127.0.0.1:1235', '', `${HOST}, ${HOST}`])(
    'cannot use the host name %j',
    async (host) => {
      for (const url of ['/', '/api/fleet', authentication.oneTimePath()]) expect((await app(get(url, { host, cookie }))).status).toBe(403);
    },
  );

  it.each([
    { origin: 'http://attacker.example' },
    { origin: 'null' },
    { origin: `http://${HOST}.attacker.example` },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('cannot read or write with %j', async (headers) => {
    expect((await app(get('/api/fleet', { cookie, ...headers }))).status).toBe(403);
    expect((await app(post('/api/actions', { 'x-outrigger-console': '1', ...headers }))).status).toBe(403);
  });

  it('cannot write without the header that only the app sends', async () => {
    expect((await app(post('/api/actions', {}))).status).toBe(403);
    expect((await app(post('/api/actions', { 'x-outrigger-console': '0' }))).status).toBe(403);
    expect((await app({ ...post('/api/session', {}), method: 'DELETE' })).status).toBe(403);
    expect((await app(post('/api/session', { cookie: undefined }))).status).toBe(403);
    expect((await app(post('/open?token=x', { cookie: undefined }))).status).toBe(403);
    const form = { 'x-outrigger-console': '1', 'content-type': 'application/x-www-form-urlencoded' };
    expect((await app(post('/api/actions', form))).status).toBe(400);
  });

  it('cannot frame it or bring in a script, whatever the address and the answer', async () => {
    const urls = ['/', '/clusters/x', '/nothing.js', '/healthz', '/open?token=x', ...ROUTES];
    for (const answer of await Promise.all(
      urls.flatMap((url) => [app(get(url)), app(get(url, { cookie })), app(get(url, { host: 'x' }))]),
    )) {
      const policy = answer.headers['content-security-policy'] ?? '';
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toMatch(/unsafe|\*/);
      expect(answer.headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
      });
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});

it('AT-30 answers markup as JSON text, never as a page', async () => {
  for (const url of VIEWS.slice(1)) {
    const answer = await app(get(url, { cookie }));
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
    expect(bodyOf(answer)).toContain(JSON.stringify(MARKUP));
  }
});

it('answers a view that is too large with 413 and a message for users', async () => {
  const refusing = createApp({ ...options(), view: () => Promise.reject(new ViewFailure('too-large', 'this view has 17 MB')) });
  const answer = await refusing(get('/api/fleet', { cookie }));
  expect([answer.status, JSON.parse(bodyOf(answer))]).toEqual([413, { code: 'too-large', message: 'this view has 17 MB' }]);
});

it.each([
  ['/api/stream?view=/api/object', 400],
  [`/api/stream?${Array.from({ length: 9 }, () => 'view=/api/fleet').join('&')}`, 400],
  ['/api/stream', 400],
  ['/api/stream?view=/etc/passwd', 400],
  [`/api/addons/${'a'.repeat(5_000)}`, 404],
  [`/api/addons/${'a'.repeat(20_000)}`, 413],
  ['/api/addons/..%2f..%2fsecrets', 200],
  ['/../../etc/passwd', 200],
  ['/assets/%2e%2e/%2e%2e/package.json', 404],
])('answers %s with %d', async (url, status) => {
  expect((await app(get(url, { cookie }))).status).toBe(status);
});

it.each(
  [
    '',
    '{',
    '[]',
    'null',
    '{"action":"pause"}',
    '{"action":"pause","addOn":"../x"}',
    '{"action":"pause","addOn":1}',
    '{"action":"delete","addOn":"a"}',
  ].concat(['0', '-1', '1.5', '"1"', 'null'].map((revision) => `{"action":"roll-back","addOn":"a","revision":${revision}}`)),
)('refuses the action %s', async (body) => {
  expect((await app(post('/api/actions', { 'x-outrigger-console': '1' }, body))).status).toBe(400);
});
