import { describe, expect, it } from 'vitest';
import { CASES } from './fault-cases.js';
import { runSystem, systemHistory } from './run.js';

/** The size of the sample. `npm run simulate -- --layer 2` runs as many seeds as time allows. */
const SEEDS = Number(process.env['OUTRIGGER_SYSTEM_SIMULATIONS'] ?? 1);
/**
 * Seeds that failed once. 9033: an agent that the hub does not recognise requested a certificate every minute, so that the hub never
 * settled. 20007: after a lost response, an agent with a certificate reported forever that its pending key was not found. 10: the model
 * expected a certificate under the name of a cluster that was detached and declared again, although no machine had joined again.
 */
const FOUND = [9033, 20007, 10];

describe('generated histories on whole servers, a manager and agents', () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed))('end as their declarations ask (%i)', async (seed) => {
    const { violations } = await runSystem(systemHistory(seed));
    expect(violations).toEqual([]);
  });

  it.each(FOUND)('end as their declarations ask, also if they failed once (%i)', async (seed) => {
    const { violations } = await runSystem(systemHistory(seed, { edited: 0, system: 0 }));
    expect(violations).toEqual([]);
  });
});

describe('whole servers, a manager and agents', () => {
  it.each(CASES)('survive $faults', async ({ steps, happened }) => {
    const { violations, log, conditions } = await runSystem({ seed: 1, hasReplica: false, steps });
    const seen = [...log, ...conditions];
    expect(happened.filter((line) => !seen.some((text) => line.test(text)))).toEqual([]);
    expect(violations).toEqual([]);
  });
});
