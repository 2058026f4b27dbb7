import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import type * as timersPromises from 'node:timers/promises';
import { threadId } from 'node:worker_threads';
import { afterAll } from 'vitest';

/**
 * Measures the fixed sleeps of tests. This set-up file for vitest writes its measurements to the folder in OUTRIGGER_SLEEPS, and does
 * nothing if that is not set. A fixed sleep is a timer of 200 ms or more that test code started and that ran to its end. Shorter timers are
 * the polling intervals of helpers. A timeout that guards against a hang does not run to its end in a test that passes.
 */
const SHORTEST_MS = 200;

const folder = process.env['OUTRIGGER_SLEEPS'];
/** The state is global, because test files share a thread and its timers, and each of them loads this module. */
const SLEPT = Symbol.for('outrigger.sleptMs');
type Metered = typeof globalThis & { [SLEPT]?: Map<string, number> };

if (folder !== undefined) {
  const slept = ((globalThis as Metered)[SLEPT] ??= meter());
  afterAll(() => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${process.pid}-${threadId}.json`), JSON.stringify(Object.fromEntries(slept)));
  });
}

/** Starts metering. Returns the milliseconds slept, by the file that started the timers. */
function meter(): Map<string, number> {
  const slept = new Map<string, number>();
  const ended = (place: string, ms: number): void => void slept.set(place, (slept.get(place) ?? 0) + ms);
  const { setTimeout: start } = globalThis;
  globalThis.setTimeout = Object.assign((task: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    const place = ms >= SHORTEST_MS ? placeInTests() : undefined;
    if (place === undefined) return start(task, ms, ...args);
    const measured = (...given: unknown[]): void => {
      ended(place, ms);
      task(...given);
    };
    return start(measured, ms, ...args);
  }, start) as typeof setTimeout;
  const promises = createRequire(import.meta.url)('node:timers/promises') as { setTimeout: typeof timersPromises.setTimeout };
  const { setTimeout: wait } = promises;
  promises.setTimeout = async (ms = 0, ...rest) => {
    const place = ms >= SHORTEST_MS ? placeInTests() : undefined;
    const value = await wait(ms, ...rest);
    if (place !== undefined) ended(place, ms);
    return value;
  };
  syncBuiltinESMExports();
  return slept;
}

/**
 * Returns the file of the test or test helper that started a timer, or undefined if product code did. Stack frames of the real runtime, of
 * its faster clock and of Node.js are ignored.
 */
function placeInTests(): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 10;
  const frames = (new Error().stack ?? '').split('\n').slice(1);
  Error.stackTraceLimit = stackTraceLimit;
  const callers = frames.filter(
    (frame) => !/sleep-meter\.ts|adapters\/real-runtime\.ts|world\/faster-clock\.ts|node:|<anonymous>\)$/.test(frame),
  );
  const place = /((?:test|packages|tools)\/[^\s():]+\.ts)/.exec(callers[0] ?? '')?.[1];
  return place !== undefined && (place.startsWith('test/') || place.endsWith('.test.ts')) ? place : undefined;
}
