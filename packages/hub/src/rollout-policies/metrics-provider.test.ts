import { describe, expect, it } from 'vitest';
import { prometheusProvider } from './metrics-provider.js';

const signal = new AbortController().signal;
const answering = (body: unknown, status = 200): ReturnType<ReturnType<typeof prometheusProvider>['query']> =>
  prometheusProvider({
    url: 'https://prometheus',
    send: async () => ({ status, body: typeof body === 'string' ? body : JSON.stringify(body) }),
  }).query('up', undefined, signal);
const success = (resultType: string, result: unknown): unknown => ({ status: 'success', data: { resultType, result } });

describe('a Prometheus provider', () => {
  it('requests the values of now or of a given time, with the current token', async () => {
    const sent: unknown[] = [];
    let tokens = 0;
    const provider = prometheusProvider({
      url: 'https://prometheus.example/prefix/',
      token: async () => `token-${++tokens}`,
      send: async (request) => {
        sent.push(request);
        return { status: 200, body: JSON.stringify(success('vector', [])) };
      },
    });
    await provider.query('up{a="b&c"}', undefined, signal);
    await provider.query('up', 1_767_225_600_500, signal);
    const headers = (token: string): object => ({
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(sent).toEqual([
      { url: 'https://prometheus.example/prefix/api/v1/query', headers: headers('token-1'), body: 'query=up%7Ba%3D%22b%26c%22%7D' },
      { url: 'https://prometheus.example/prefix/api/v1/query', headers: headers('token-2'), body: 'query=up&time=1767225600.5' },
    ]);
  });

  it('reads vectors and scalars', async () => {
    const vector = [
      { metric: { cluster: 'c1' }, value: [1, '0.5'] },
      { metric: { cluster: 'c2' }, value: [1, 'NaN'] },
      { metric: {}, value: [1, '+Inf'] },
      { metric: {}, value: [1, '-Inf'] },
      { metric: {}, value: [1, '1e-3'] },
    ];
    expect(await answering(success('vector', vector))).toEqual({
      series: [
        { labels: { cluster: 'c1' }, value: 0.5 },
        { labels: { cluster: 'c2' }, value: Number.NaN },
        { labels: {}, value: Number.POSITIVE_INFINITY },
        { labels: {}, value: Number.NEGATIVE_INFINITY },
        { labels: {}, value: 0.001 },
      ],
    });
    expect(await answering(success('scalar', [1, '3']))).toEqual({ series: [{ labels: {}, value: 3 }] });
    expect(await answering(success('vector', []))).toEqual({ series: [] });
  });

  it.each([
    ['a matrix', success('matrix', []), 200, 'the query must return a vector or a scalar'],
    ['a native histogram', success('vector', [{ metric: {}, histogram: [1, {}] }]), 200, 'a series without a value'],
    ['a null series', success('vector', [null]), 200, 'a series without a value'],
    ['a value that is no text', success('vector', [{ metric: {}, value: [1, 2] }]), 200, 'a series without a value'],
    ['an error', { status: 'error', error: 'parse error\nline 2' }, 400, 'status 400: parse error line 2'],
    ['an error with status 200', { status: 'error' }, 200, 'status 200'],
    ['a page of a proxy', '<html>', 502, 'status 502'],
    ['a redirect', '', 302, 'status 302'],
    ['null', null, 200, 'status 200'],
    ['a list', [], 200, 'status 200'],
  ])('reports %s as a problem', async (_, body, status, problem) => {
    const answer = await answering(body, status);
    expect(answer).toMatchObject({ problem: expect.stringContaining(problem) });
  });

  it.each([198, 199])('splits no character of an error that is too long (%i)', async (length) => {
    const long = await answering({ status: 'error', error: `${'x'.repeat(length)}${'😀'.repeat(50)}` }, 422);
    const problem = 'problem' in long ? long.problem : '';
    expect(problem).toMatch(/…$/);
    expect(new TextDecoder().decode(new TextEncoder().encode(problem))).toBe(problem);
  });

  it('shortens a long error, and reports a provider that does not respond or has no token', async () => {
    const long = await answering({ status: 'error', error: 'x'.repeat(5000) }, 422);
    expect('problem' in long && long.problem.length).toBeLessThan(300);
    const failing = (fail: () => never): Promise<unknown> =>
      prometheusProvider({ url: 'http://p', token: async () => fail(), send: async () => fail() }).query('up', undefined, signal);
    expect(
      await failing(() => {
        throw new Error('connect ECONNREFUSED');
      }),
    ).toEqual({ problem: 'the provider did not answer: connect ECONNREFUSED' });
  });
});
