import type { PlanForecast } from '@outrigger/console-contract';
import { describe, expect, it } from 'vitest';
import { PlanJobs } from './plan-jobs.js';

const FORECAST = { entries: [] } as unknown as PlanForecast;

/** Creates jobs whose computations the test ends explicitly. Timers fire immediately. */
function world() {
  let now = 0;
  const open: { readonly name: string; readonly end: (error?: Error) => void }[] = [];
  const jobs = new PlanJobs({
    clock: { now: () => now, monotonic: () => now },
    timers: {
      after: (_ms: number, task: () => void) => {
        setImmediate(task);
        return () => undefined;
      },
    },
  } as unknown as ConstructorParameters<typeof PlanJobs>[0]);
  const ask = (user: string, name: string) =>
    jobs.ask(
      user,
      name,
      () =>
        new Promise<PlanForecast>((resolve, reject) => {
          open.push({ name, end: (error) => (error ? reject(error) : resolve(FORECAST)) });
        }),
    );
  const end = (name: string, error?: Error): void => open.find((one) => one.name === name)?.end(error);
  return { ask, end, open, pass: (ms: number) => void (now += ms) };
}

describe('forecasts of the console', () => {
  it('are answered as still planning until they end, and computed once for a user who asks again', async () => {
    const { ask, end, open } = world();
    expect(await ask('ann', 'hello 1')).toEqual({ planningSince: '1970-01-01T00:00:00Z' });
    expect(await ask('ann', 'hello 1')).toHaveProperty('planningSince');
    expect(open.length).toBe(1);
    end('hello 1');
    expect(await ask('ann', 'hello 1')).toEqual({ forecast: FORECAST });
    expect(open.length).toBe(1);
  });

  it('are computed again once the outcome is old', async () => {
    const { ask, end, open, pass } = world();
    await ask('ann', 'hello 1');
    end('hello 1', new Error('the hub does not answer'));
    expect(await ask('ann', 'hello 1')).toEqual({ forecastProblem: 'the hub does not answer' });
    pass(60_000);
    expect(await ask('ann', 'hello 1')).toHaveProperty('planningSince');
    expect(open.length).toBe(2);
  });

  it('of one user are limited, and wait in turn with those of others', async () => {
    const { ask, end, open } = world();
    await Promise.all([ask('ann', 'a1'), ask('ann', 'a2')]);
    expect(await ask('ann', 'a3')).toEqual({
      forecastProblem: '2 other forecasts for you are being computed: ask again when one of them is done',
    });
    // The job of another user is accepted, although the maximum number of jobs is already running.
    expect(await ask('ben', 'b1')).toHaveProperty('planningSince');
    expect(open.map(({ name }) => name)).toEqual(['a1', 'a2']);
    end('a2');
    expect(await ask('ben', 'b1')).toHaveProperty('planningSince');
    expect(open.map(({ name }) => name)).toEqual(['a1', 'a2', 'b1']);
    expect(await ask('ann', 'a3')).toHaveProperty('planningSince');
  });
});
