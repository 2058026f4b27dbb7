import { describe, expect, it } from 'vitest';
import type { Step, TimedStep } from '@outrigger/simulator';
import { runSystem, systemHistory } from './run.js';

/** The size of the sample. `npm run simulate -- --layer 2` runs as many seeds as time allows. */
const SEEDS = Number(process.env['OUTRIGGER_SYSTEM_SIMULATIONS'] ?? 1);
/**
 * Seeds that failed once. 9033: an agent that the hub does not recognise requested a certificate every minute, so that the hub never
 * settled. 20007: after a lost response, an agent with a certificate reported forever that its pending key was not found. 10: the model
 * expected a certificate under the name of a cluster that was detached and declared again, although no machine had joined again.
 */
const FOUND = [9033, 20007, 10];

const rollout = { type: 'Progressive', maxConcurrency: 1, maxFailures: 0, progressDeadline: 'None', minSuccessTime: '5s' } as const;
const after = (afterMs: number, step: Step): TimedStep => ({ afterMs, step });

/** Two add-ons are installed one cluster after the other; faults happen meanwhile. */
const install: readonly TimedStep[] = (['alpha', 'beta'] as const).map((addOn) =>
  after(0, { do: 'declare', addOn, strategy: { type: 'Placements', rollout, hasCanary: false, defaultVersion: 'v1' } }),
);
/** An edit that starts a rollout to all clusters. */
const upgrade: Step = { do: 'edit template', addOn: 'alpha', version: 'v1', content: 'good-2' };

interface Case {
  readonly fault: string;
  readonly steps: readonly TimedStep[];
  /** Lines that the log of the run must contain, because the fault really happened. */
  readonly happened: readonly RegExp[];
}

const CASES: readonly Case[] = [
  {
    fault: 'the API servers of the hub and of a cluster restart',
    steps: [
      ...install,
      after(6_000, { do: 'server restart', server: 'hub', downMs: 900 }),
      after(2_500, upgrade),
      after(2_000, { do: 'server restart', server: 'c1', downMs: 8_000 }),
    ],
    happened: [/ hub: crashed$/, / c1: crashed$/, /lost at a dead server$/, /manager-0: warn watching a kind failed.*the server went away/],
  },
  {
    fault: 'the API servers of the hub and of a cluster lose their history',
    steps: [
      ...install,
      after(6_000, { do: 'history lost', server: 'hub', forMs: 900 }),
      after(2_500, upgrade),
      after(4_000, { do: 'history lost', server: 'c1', forMs: 1 }),
    ],
    happened: [
      /manager-0: GET \/apis\/\S+\/manifestworks ended with 410$/,
      /agent-c2-0: GET \/apis\/\S+\/manifestworks ended with 410$/,
      /agent-c1-0: GET \/apis\/\S+\/appliedmanifestworks ended with 410$/,
    ],
  },
];

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

describe('a fault of a whole server', () => {
  it.each(CASES)('leaves no trace: $fault', async ({ steps, happened }) => {
    const { violations, log } = await runSystem({ seed: 1, hasReplica: false, steps });
    for (const line of happened) expect(log).toContainEqual(expect.stringMatching(line));
    expect(violations).toEqual([]);
  });
});
