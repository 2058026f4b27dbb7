import { connect } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { createEndpoints } from '../server/endpoints.js';
import { serveEndpoints } from './endpoint-server.js';
import { createPrometheusMetrics } from './prometheus.js';
import { createRealRuntime } from './real-runtime.js';

const runtime = createRealRuntime();
afterAll(() => runtime.scope.close());

describe('endpoint server', () => {
  it('serves health and the metrics that were counted', async () => {
    const metrics = createPrometheusMetrics();
    metrics.counter({ name: 'widgets_total', help: 'Widgets.', labels: ['colour'] }).add({ colour: 'red' });
    metrics.counter({ name: 'widgets_total', help: 'Widgets.', labels: ['colour'] }).add({ colour: 'red' }, 2);
    const gauge = metrics.gauge({ name: 'queue_depth', help: 'Depth.', labels: ['queue'] });
    gauge.set({ queue: 'a' }, 7);
    gauge.set({ queue: 'b' }, 8);
    gauge.remove({ queue: 'b' });
    metrics.histogram({ name: 'pass_seconds', help: 'Passes.', labels: [], buckets: [1, 2] }).observe({}, 1.5);
    const endpoints = createEndpoints({ runtime, health: [], readiness: [], metrics: metrics.scrape });
    const server = await serveEndpoints(endpoints, runtime, { port: 0, host: '127.0.0.1' });
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${server.port}${path}`)).text();
    expect(await get('/healthz')).toBe('ok');
    const scraped = await get('/metrics');
    for (const line of ['widgets_total{colour="red"} 3', 'queue_depth{queue="a"} 7', 'pass_seconds_bucket{le="2"} 1'])
      expect(scraped).toContain(line);
    expect(scraped).not.toContain('queue="b"');
    await server.close();
  });

  it('AT-57 keeps few connections that send nothing, and answers probes meanwhile', async () => {
    const endpoints = createEndpoints({ runtime, health: [], readiness: [] });
    const server = await serveEndpoints(endpoints, runtime, { port: 0, host: '127.0.0.1', maxConnections: 5 });
    const sockets = Array.from({ length: 30 }, () =>
      connect(server.port, '127.0.0.1')
        .on('error', () => undefined)
        .resume(),
    );
    await expect.poll(() => sockets.filter(({ closed }) => !closed).length, { timeout: 20_000 }).toBeLessThanOrEqual(5);
    expect(await (await fetch(`http://127.0.0.1:${server.port}/healthz`)).text()).toBe('ok');
    for (const socket of sockets) socket.destroy();
    await server.close();
  });

  it('stops gracefully: requests in flight are answered, new ones are refused', async () => {
    let answer: (() => void) | undefined;
    const slow = () => new Promise<undefined>((resolve) => (answer = () => resolve(undefined)));
    const endpoints = createEndpoints({ runtime, health: [{ name: 'slow', problem: slow }], readiness: [] });
    const server = await serveEndpoints(endpoints, runtime, { port: 0, host: '127.0.0.1' });
    const url = `http://127.0.0.1:${server.port}/healthz`;
    const inFlight = fetch(url);
    await expect.poll(() => answer, { timeout: 10_000 }).toBeDefined();
    const closed = server.close();
    await expect(fetch(url)).rejects.toThrow('fetch failed');
    answer?.();
    expect(await (await inFlight).text()).toBe('ok');
    await closed;
  });
});
