import { describe, expect, it } from 'vitest';
import type { ProviderAnswer } from '@outrigger/rules/policy';
import { type MeasurementRequest, Measurements } from './measurements.js';
import type { MetricsProvider } from './metrics-provider.js';

const ask = (rest: Partial<MeasurementRequest> = {}): MeasurementRequest => ({
  entry: 'default/all',
  gate: 'p/errors',
  group: 'rest',
  revision: 2,
  look: 0,
  moved: ['c1'],
  peers: ['c2'],
  provider: 'prometheus',
  query: 'up',
  comparedAt: {},
  ...rest,
});

interface Call {
  readonly text: string;
  readonly at: number | undefined;
  readonly signal: AbortSignal;
  answer(answer: ProviderAnswer): void;
  fail(error: Error): void;
}

function started() {
  const calls: Call[] = [];
  const woken: string[] = [];
  const provider: MetricsProvider = {
    query: (text, at, signal) => new Promise((resolve, reject) => void calls.push({ text, at, signal, answer: resolve, fail: reject })),
  };
  const measurements = new Measurements(
    new Map([
      ['prometheus', provider],
      ['other', provider],
    ]),
    { now: () => 42 },
  );
  const stop = measurements.start({ wake: ({ name }) => void woken.push(name), watch: () => () => undefined, view: {} as never });
  const measureOf = (addOn: string, ...requests: readonly MeasurementRequest[]): unknown =>
    measurements.measure({ addOn, requests }, {} as never);
  const measure = (...requests: readonly MeasurementRequest[]): unknown => measureOf('hello', ...requests);
  return { calls, woken, measurements, stop, measure, measureOf };
}
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const series = (value: number): ProviderAnswer => ({ series: [{ labels: {}, value }] });

describe('measurements', () => {
  it('are asked once, and their answers are kept until they are no longer due', async () => {
    const { calls, woken, measurements, measure } = started();
    await measure(ask(), ask({ comparedAt: { c1: 7, c2: 7, c3: 5 }, gate: 'p/latency' }));
    await measure(ask(), ask({ comparedAt: { c1: 7, c2: 7, c3: 5 }, gate: 'p/latency' }));
    expect(calls.map(({ text, at }) => [text, at])).toEqual([
      ['up', undefined],
      ['up', undefined],
      ['up', 7],
    ]);
    expect(measurements.of('hello').isRequested(ask())).toBe(true);
    calls[0]?.answer(series(1));
    await settled();
    expect([woken, measurements.of('hello').taken]).toEqual([
      ['hello'],
      [
        {
          entry: 'default/all',
          gate: 'p/errors',
          group: 'rest',
          revision: 2,
          look: 0,
          moved: ['c1'],
          peers: ['c2'],
          comparedAt: {},
          at: 42,
          now: series(1),
        },
      ],
    ]);
    calls[1]?.answer(series(2));
    calls[2]?.answer(series(3));
    await settled();
    // The provider is queried once for each compared time, one query after the other.
    expect(measurements.of('hello').taken).toHaveLength(1);
    expect([calls.length, calls[3]?.at]).toEqual([4, 5]);
    calls[3]?.answer(series(4));
    await settled();
    const before = [
      { at: 7, answer: series(3) },
      { at: 5, answer: series(4) },
    ];
    expect(measurements.of('hello').taken[1]).toMatchObject({ now: series(2), before });
    await measure(ask({ look: 1 }));
    expect([measurements.of('hello').taken, calls.length]).toEqual([[], 5]);
    await measure();
    expect([measurements.of('hello').isRequested(ask({ look: 1 })), calls[4]?.signal.aborted]).toEqual([false, true]);
  });

  it.each<[string, Partial<MeasurementRequest>]>([
    ['entry', { entry: 'default/other' }],
    ['group', { group: 'canary' }],
    ['revision', { revision: 3 }],
    ['number', { look: 1 }],
    ['query', { query: 'down' }],
    ['provider', { provider: 'other' }],
  ])('with another %s are separate', async (_, rest) => {
    const { calls, measure } = started();
    await measure(ask(), ask(rest));
    expect(calls).toHaveLength(2);
  });

  it('of a provider that does not exist or fails have a problem', async () => {
    const { calls, measurements, measure } = started();
    await measure(ask({ provider: 'thanos' }), ask());
    calls[0]?.fail(new Error('broken'));
    await settled();
    expect(measurements.of('hello').taken.map(({ now }) => now)).toEqual([
      { problem: 'the manager has no metrics provider "thanos"' },
      { problem: 'the provider did not answer: broken' },
    ]);
  });

  it('run at most eight at a time for each provider', async () => {
    const { calls, measure } = started();
    const many = Array.from({ length: 20 }, (_, look) => ask({ look }));
    await measure(...many);
    expect(calls).toHaveLength(8);
    calls[0]?.answer(series(1));
    await settled();
    expect(calls).toHaveLength(9);
    await measure(...many, ask({ provider: 'other', query: 'down' }));
    expect(calls.map(({ text }) => text)).toEqual([...Array<string>(9).fill('up'), 'down']);
  });

  it('AT-45 of an add-on with many do not delay those of others: the add-ons take turns', async () => {
    const { calls, measurements, measureOf } = started();
    await measureOf('hello', ...Array.from({ length: 100 }, (_, look) => ask({ look })));
    await measureOf('metrics', ask({ query: 'down' }), ask({ query: 'down', look: 1 }));
    for (let answered = 0; answered < 4; answered++) {
      calls[answered]?.answer(series(1));
      await settled();
    }
    expect(calls.map(({ text }) => text)).toEqual([...Array<string>(9).fill('up'), 'down', 'up', 'down']);
    calls[9]?.answer(series(2));
    await settled();
    expect([measurements.of('metrics').taken.length, calls.length]).toEqual([1, 13]);
  });

  it('end with the manager, and wake no key afterwards', async () => {
    const { calls, woken, measurements, stop, measure } = started();
    await measure(ask());
    stop();
    calls[0]?.answer(series(1));
    await settled();
    expect([calls[0]?.signal.aborted, woken, measurements.of('hello').taken]).toEqual([true, [], []]);
  });
});
