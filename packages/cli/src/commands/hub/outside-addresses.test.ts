import { createHmac } from 'node:crypto';
import { type IncomingHttpHeaders, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@outrigger/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { metricsProviders } from './metrics-providers.js';
import { notificationTargets } from './notification-targets.js';
import type { SecretSource } from './outside-addresses.js';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function serving(status: number, answer: string): Promise<{ readonly url: string; readonly received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(status).end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** Returns a hub with these Secrets in the manager's namespace. */
function hub(data: Readonly<Record<string, Readonly<Record<string, string>>>>): SecretSource {
  const get = async (_: unknown, { namespace, name }: { namespace: string; name: string }): Promise<object> => {
    const values = namespace === 'manager' ? data[name] : undefined;
    if (!values) throw new Error(`secrets "${name}" not found`);
    return { data: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')])) };
  };
  return { client: { get } as unknown as Client, namespace: 'manager' };
}

const { signal } = new AbortController();
const NOTHING = { metricsProvider: {}, metricsToken: {}, metricsCa: {}, notifyUrl: {}, notifyKey: {}, notifyCa: {} };

describe('metrics providers of the command line', () => {
  it('are asked with the token of their Secret', async () => {
    const { url, received } = await serving(200, '{"status":"success","data":{"resultType":"scalar","result":[1,"2"]}}');
    const providers = (await metricsProviders({ ...NOTHING, metricsProvider: { prometheus: url }, metricsToken: { prometheus: 'prom' } }))(
      hub({ prom: { token: 'secret\n' } }),
    );
    expect(await providers.get('prometheus')?.query('up', undefined, signal)).toEqual({ series: [{ labels: {}, value: 2 }] });
    expect(received).toMatchObject([{ path: '/api/v1/query', headers: { authorization: 'Bearer secret' }, body: 'query=up' }]);
  });

  it('that have no token, or redirect, have a problem', async () => {
    const { url, received } = await serving(302, '');
    const at = { ...NOTHING, metricsProvider: { prometheus: url } };
    const without = (await metricsProviders({ ...at, metricsToken: { prometheus: 'prom' } }))(hub({ prom: {} }));
    expect(await without.get('prometheus')?.query('up', undefined, signal)).toEqual({
      problem: 'the provider did not answer: Secret manager/prom has no key token',
    });
    expect(received).toEqual([]);
    const plain = (await metricsProviders(at))(hub({}));
    expect(await plain.get('prometheus')?.query('up', undefined, signal)).toEqual({ problem: 'the provider answered with status 302' });
  });
});

describe('notifications', () => {
  it('are signed with the key of their Secret', async () => {
    const { url, received } = await serving(204, '');
    const options = { ...NOTHING, notifyUrl: { chat: `${url}/hook` }, notifyKey: { chat: 'chat' } };
    const targets = (await notificationTargets(options))(hub({ chat: { key: 'k' } }), { now: () => 5_500 });
    await targets.get('chat')?.send('{"a":1}', signal);
    const signature = createHmac('sha256', 'k').update('5.{"a":1}').digest('hex');
    expect(received).toMatchObject([
      { path: '/hook', headers: { 'x-outrigger-timestamp': '5', 'x-outrigger-signature': `sha256=${signature}` }, body: '{"a":1}' },
    ]);
  });

  it('that the address refuses are errors', async () => {
    const { url } = await serving(500, '');
    const options = { ...NOTHING, notifyUrl: { chat: url }, notifyKey: { chat: 'chat' } };
    const targets = (await notificationTargets(options))(hub({ chat: { key: 'k' } }), { now: () => 0 });
    await expect(targets.get('chat')?.send('{}', signal)).rejects.toThrow('status 500');
  });
});

describe('addresses of the command line', () => {
  const reading = async (rest: Partial<typeof NOTHING>): Promise<unknown> => {
    await metricsProviders({ ...NOTHING, ...rest });
    return notificationTargets({ ...NOTHING, ...rest });
  };
  it.each<[string, Partial<typeof NOTHING>, string]>([
    ['no address', { metricsProvider: { p: 'prometheus:9090' } }, '--metrics-provider p: want http://host:port'],
    ['another scheme', { metricsProvider: { p: 'file:///etc/passwd' } }, '--metrics-provider p: want http://host:port'],
    ['a password', { metricsProvider: { p: 'http://a:b@c' } }, 'must not contain credentials; use --metrics-token'],
    ['a query', { notifyUrl: { p: 'http://c/?token=x' }, notifyKey: { p: 's' } }, '--notify-url p: the address must have no query'],
    ['a token for no provider', { metricsToken: { p: 's' } }, '--metrics-token names p, which no --metrics-provider defines'],
    ['authorities for no provider', { metricsCa: { p: 's' } }, '--metrics-ca names p'],
    ['a file that does not exist', { metricsProvider: { p: 'https://c' }, metricsCa: { p: '/does/not/exist' } }, '--metrics-ca: ENOENT'],
    ['a notification without a key', { notifyUrl: { p: 'http://c' } }, '--notify-url p needs --notify-key p=<secret>'],
  ])('%s: refused', async (_, rest, message) => {
    await expect(reading(rest)).rejects.toThrow(message);
  });
});
