import { describe, expect, it } from 'vitest';
import { createPrometheusMetrics } from './prometheus.js';

describe('metrics in the text format of Prometheus', () => {
  const scraped = async (metrics: ReturnType<typeof createPrometheusMetrics>): Promise<string> => (await metrics.scrape()).body;

  it('writes counters and gauges by series, and one without labels from the start', async () => {
    const metrics = createPrometheusMetrics();
    const requests = metrics.counter({ name: 'requests_total', help: 'Requests.', labels: ['verb', 'code'] });
    requests.add({ verb: 'get', code: '200' });
    requests.add({ code: '200', verb: 'get' }, 2);
    const size = metrics.gauge({ name: 'size', help: 'How many.', labels: [] });
    metrics.gauge({ name: 'depth', help: 'How deep.', labels: ['queue'] }).set({ queue: 'a' }, 3);
    expect(await scraped(metrics)).toBe(
      [
        '# HELP requests_total Requests.',
        '# TYPE requests_total counter',
        'requests_total{verb="get",code="200"} 3',
        '',
        '# HELP size How many.',
        '# TYPE size gauge',
        'size 0',
        '',
        '# HELP depth How deep.',
        '# TYPE depth gauge',
        'depth{queue="a"} 3',
        '',
      ].join('\n'),
    );
    size.set({}, 0.5);
    expect(await scraped(metrics)).toContain('\nsize 0.5\n');
  });

  it('counts an observation in its bucket and in all larger ones', async () => {
    const metrics = createPrometheusMetrics();
    const seconds = metrics.histogram({ name: 'seconds', help: 'How long.', labels: ['who'], buckets: [0.1, 1] });
    for (const value of [0.1, 0.2, 5]) seconds.observe({ who: 'a' }, value);
    expect((await scraped(metrics)).split('\n').slice(2)).toEqual([
      'seconds_bucket{le="0.1",who="a"} 1',
      'seconds_bucket{le="1",who="a"} 2',
      'seconds_bucket{le="+Inf",who="a"} 3',
      'seconds_sum{who="a"} 5.3',
      'seconds_count{who="a"} 3',
      '',
    ]);
  });

  it('shares a metric that two components define, and forgets a removed series', async () => {
    const metrics = createPrometheusMetrics();
    const definition = { name: 'up', help: '', labels: ['of'] } as const;
    metrics.gauge(definition).set({ of: 'a' }, 1);
    metrics.gauge(definition).set({ of: 'b' }, 1);
    metrics.gauge(definition).remove({ of: 'a' });
    expect((await scraped(metrics)).match(/^up\{.*$/gm)).toEqual(['up{of="b"} 1']);
  });

  it.each([
    ['a"b', 'a\\"b'],
    ['a\\b', 'a\\\\b'],
    ['a\nb', 'a\\nb'],
  ])('escapes the label value %j', async (value, written) => {
    const metrics = createPrometheusMetrics();
    metrics.gauge({ name: 'g', help: '', labels: ['l'] }).set({ l: value }, Number.POSITIVE_INFINITY);
    expect(await scraped(metrics)).toContain(`g{l="${written}"} +Inf\n`);
  });
});
