import { describe, expect, it } from 'vitest';
import { manualRuntime } from '../client/fixtures.js';
import { createEndpoints, type HealthCheck } from './endpoints.js';

const well = (name: string): HealthCheck => ({ name, problem: () => undefined });
const ill: HealthCheck = { name: 'cache', problem: async () => 'widgets not listed yet' };
const throwing: HealthCheck = { name: 'lease', problem: () => Promise.reject(new Error('no lease')) };

const runtime = manualRuntime();
const metrics = async () => ({ contentType: 'text/plain; version=0.0.4', body: 'up 1\n' });
const endpoints = createEndpoints({ runtime, health: [well('ping')], readiness: [well('ping'), ill, throwing], metrics });

describe('endpoints', () => {
  const cases = [
    { name: 'a healthy process answers ok', url: '/healthz', status: 200, body: 'ok' },
    { name: 'livez is healthz', url: '/livez', status: 200, body: 'ok' },
    { name: 'verbose lists the checks', url: '/healthz?verbose', status: 200, body: '[+]ping ok\nhealthz check passed\n' },
    {
      name: 'each failed check is reported',
      url: '/readyz',
      status: 503,
      body: '[+]ping ok\n[-]cache failed: widgets not listed yet\n[-]lease failed: no lease\nreadyz check failed\n',
    },
    { name: 'one check by name', url: '/readyz/ping', status: 200, body: 'ok' },
    { name: 'checks can be left out', url: '/readyz?exclude=cache&exclude=lease', status: 200, body: 'ok' },
    { name: 'an unknown check is not found', url: '/readyz/other', status: 404, body: 'not found\n' },
    { name: 'deeper paths are not found', url: '/readyz/ping/x', status: 404, body: 'not found\n' },
    { name: 'nothing else is served', url: '/constructor', status: 404, body: 'not found\n' },
    { name: 'metrics are scraped', url: '/metrics', status: 200, body: 'up 1\n' },
    { name: 'writing is refused', url: '/healthz', method: 'POST', status: 405, body: 'only GET is served here\n' },
  ];
  it.each(cases)('$name', async ({ url, method = 'GET', status, body }) => {
    expect(await endpoints({ method, url })).toMatchObject({ status, body });
  });

  it('a check that hangs has failed after a while', async () => {
    const hanging = createEndpoints({ runtime, health: [], readiness: [{ name: 'slow', problem: () => new Promise(() => undefined) }] });
    const answer = hanging({ method: 'GET', url: '/readyz' });
    await runtime.advance(5_000);
    expect(await answer).toMatchObject({ status: 503, body: '[-]slow failed: no result within 5 s\nreadyz check failed\n' });
  });

  it('metrics are served only if there are any', async () => {
    const bare = createEndpoints({ runtime, health: [], readiness: [] });
    expect(await bare({ method: 'GET', url: '/metrics' })).toMatchObject({ status: 404 });
  });
});
