import type { PredictedEnd, PredictionRequest } from '@outrigger/rules/prediction';
import { nowAt } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { Predictions, type PredictionsDue } from './predictions.js';

const REQUEST: PredictionRequest = { entry: 'default/all', revision: 2, startedAt: '2026-11-16T12:00:00Z' };
const PREDICTION = {
  at: REQUEST.startedAt,
  p50: '2026-11-16T12:10:00Z',
  p90: '2026-11-16T12:20:00Z',
  runs: 200,
  basis: 'Default' as const,
};

/** Predictions on a clock on which each step takes 1 ms. */
function start(stepsOf: (addOn: string) => number): {
  readonly predictions: Predictions<string>;
  readonly rests: number[];
  readonly woken: string[];
  readonly logged: string[];
  readonly due: (addOn: string, requests?: readonly PredictionRequest[]) => PredictionsDue<string>;
  readonly stop: () => void;
} {
  let time = 0;
  const rests: number[] = [];
  const woken: string[] = [];
  const logged: string[] = [];
  const log = {
    debug: () => undefined,
    info: () => undefined,
    error: () => undefined,
    child: () => log,
    warn: (_: object, text: string) => logged.push(text),
  };
  const forecast = function* ({ addOn, requests }: PredictionsDue<string>): Generator<void, readonly PredictedEnd[]> {
    const steps = stepsOf(addOn);
    if (steps < 0) throw new Error('broken');
    for (let i = 0; i < steps; i++) {
      time++;
      yield;
    }
    return requests.map((request) => ({ ...request, prediction: PREDICTION }));
  };
  const sleep = async (ms: number): Promise<void> => {
    rests.push(ms);
    time += ms;
  };
  const predictions = new Predictions<string>(forecast, { clock: { monotonic: () => time }, timers: { sleep }, log });
  const stop = predictions.start({ wake: ({ name }: { readonly name: string }) => woken.push(name) } as never);
  const due = (addOn: string, requests: readonly PredictionRequest[] = [REQUEST]): PredictionsDue<string> => ({
    addOn,
    requests,
    state: '',
    now: nowAt(0, 0),
  });
  return { predictions, rests, woken, logged, due, stop };
}

const turns = async (): Promise<void> => {
  for (let i = 0; i < 200; i++) await Promise.resolve();
};

describe('the executor of predictions', () => {
  it('computes in slices with rests, and wakes the add-on when the answer is there', async () => {
    const { predictions, rests, woken, due } = start(() => 40);
    await predictions.predict(due('hello'), {} as never);
    expect([predictions.of('hello').isRequested(REQUEST), predictions.of('hello').predicted]).toEqual([true, []]);
    await turns();
    expect(predictions.of('hello').predicted).toMatchObject([{ ...REQUEST, prediction: PREDICTION }]);
    expect([woken, rests]).toEqual([['hello'], [24, 24, 24, 24, 24]]);
  });

  it('computes each request once, and drops answers that are not requested any more', async () => {
    const { predictions, woken, due } = start(() => 1);
    await predictions.predict(due('hello'), {} as never);
    await predictions.predict(due('hello'), {} as never);
    await turns();
    expect(woken).toEqual(['hello']);
    await predictions.predict(due('hello', []), {} as never);
    expect([predictions.of('hello').isRequested(REQUEST), predictions.of('hello').predicted]).toEqual([false, []]);
  });

  it('a failed computation is logged, and the next add-on gets its prediction', async () => {
    const { predictions, woken, logged, due } = start((addOn) => (addOn === 'broken' ? -1 : 1));
    await predictions.predict(due('broken'), {} as never);
    await predictions.predict(due('hello'), {} as never);
    await turns();
    expect([logged, woken, predictions.of('broken').predicted]).toEqual([['the end of a rollout could not be predicted'], ['hello'], []]);
    // The failed prediction still counts as requested, so it is not computed again in every pass.
    expect(predictions.of('broken').isRequested(REQUEST)).toBe(true);
  });

  it('a stopped process computes nothing more', async () => {
    const { predictions, woken, due, stop } = start(() => 1_000_000);
    await predictions.predict(due('hello'), {} as never);
    await turns();
    stop();
    await turns();
    expect([woken, predictions.of('hello').predicted]).toEqual([[], []]);
  });
});
