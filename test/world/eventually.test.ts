import { Simulator, createVirtualRuntime } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { type Patience, eventually } from './eventually.js';

/** Waits for a condition that is met after `metMs`, and returns the times of the checks. */
async function checksOf(patience: Patience, metMs: number): Promise<readonly number[]> {
  const simulator = new Simulator({ seed: 1 });
  const { clock, timers } = createVirtualRuntime(simulator, 'test');
  const checks: number[] = [];
  const waiting = eventually({ clock, timers, patience }, 'the time comes', async () => {
    checks.push(clock.monotonic());
    return clock.monotonic() >= metMs ? true : undefined;
  });
  const ended = waiting.then(
    () => undefined,
    (error: Error) => error,
  );
  await simulator.advance(10_000);
  const error = await ended;
  if (error) throw error;
  return checks;
}

describe('a wait for a condition', () => {
  it('checks at equal intervals', async () => {
    expect(await checksOf({ everyMs: 100, limitMs: 1_000 }, 300)).toEqual([0, 100, 200, 300]);
  });

  it('checks more rarely the longer it takes, and ends at most a fifth later', async () => {
    const checks = await checksOf({ everyMs: 50, mostMs: 250, limitMs: 5_000 }, 4_000);
    const pauses = checks.slice(1).map((at, i) => Math.round(at - (checks[i] ?? 0)));
    expect([pauses[0], Math.max(...pauses), pauses.length < 30]).toEqual([50, 250, true]);
    expect(pauses.every((pause, i) => pause <= Math.max(50, Math.ceil((checks[i] ?? 0) / 5)))).toBe(true);
  });

  it('names the condition at its limit', async () => {
    await expect(checksOf({ everyMs: 50, mostMs: 250, limitMs: 2_000 }, 4_000)).rejects.toThrow('waited 2 s in vain for: the time comes');
  });
});
