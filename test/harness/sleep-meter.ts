import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import type * as timersPromises from 'node:timers/promises';
import { threadId } from 'node:worker_threads';
import { afterAll } from 'vitest';

/**
 * Measures the fixed sleeps of tests: a set-up file of vitest, which writes its measurements to the folder OUTRIGGER_SLEEPS names, and does
 * nothing without one. A fixed sleep is a timer of 200 ms or more that code of a test started and that ran to its end. Shorter ones are the
 * steps in which a helper looks for a condition; a limit that guards against a hang does not run to its end in a test that passes.
 */
const SHORTEST_MS = 200;

const folder = process.env['OUTRIGGER_SLEEPS'];
/** Test files share a thread and its timers; each file of them loads this module. */
const SLEPT = Symbol.for('outrigger.sleptMs');
type Metered = typeof globalThis & { [SLEPT]?: Map<string, number> };

if (folder !== undefined) {
  const slept = ((globalThis as Metered)[SLEPT] ??= meter());
  afterAll(() => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${process.pid}-${threadId}.json`), JSON.stringify(Object.fromEntries(slept)));
  });
}

/** Milliseconds slept by the place in the tests that started the timers, from now on. */
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

/** The file of a test or of a helper of tests that asked for a timer; undefined if the product did. The runtime between them does not count. */
function placeInTests(): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 10;
  const frames = (new Error().stack ?? '').split('\n').slice(1);
  Error.stackTraceLimit = stackTraceLimit;
  const callers = frames.filter((frame) => !/sleep-meter\.ts|adapters\/real-runtime\.ts|node:|<anonymous>\)$/.test(frame));
  const place = /((?:test|packages|tools)\/[^\s():]+\.ts)/.exec(callers[0] ?? '')?.[1];
  return place !== undefined && (place.startsWith('test/') || place.endsWith('.test.ts')) ? place : undefined;
}
