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
  /** Lines of the log, or conditions on the hub, that exist only if the fault really happened. */
  readonly happened: readonly RegExp[];
}

const CASES: readonly Case[] = [
  {
    fault: 'restarts of API servers',
    steps: [
      ...install,
      after(6_000, { do: 'server restart', server: 'hub', downMs: 900 }),
      after(2_500, upgrade),
      after(2_000, { do: 'server restart', server: 'c1', downMs: 8_000 }),
    ],
    happened: [/ hub: crashed$/, / c1: crashed$/, /lost at a dead server$/, /manager-0: warn watching a kind failed.*the server went away/],
  },
  {
    fault: 'a lost history, so that watches end with 410',
    steps: [
      ...install,
      after(6_000, { do: 'history lost', server: 'hub', forMs: 900 }),
      after(2_500, upgrade),
      after(4_000, { do: 'history lost', server: 'c1', forMs: 1 }),
    ],
    happened: [
      /manager-0: GET \/apis\/\S+\/manifestworks ended with 410$/,
      /agent-c2-0: GET \/apis\/\S+\/manifestworks ended with 410$/,
      /agent-c1-0: GET \/api\/v1\/nodes ended with 410$/,
    ],
  },
  {
    fault: 'wrong clocks of agents',
    steps: [
      ...install,
      after(6_000, { do: 'agent clock', cluster: 'c1', ms: -3_600_000, forMs: 300_000 }),
      after(0, { do: 'agent clock', cluster: 'c2', ms: 3_600_000, forMs: 300_000 }),
      after(1_000, upgrade),
      after(1_000, { do: 'agent crash', cluster: 'c1', writes: 1, downMs: 500 }),
    ],
    happened: [
      /agent-c1-1: clock skewed by -3600000 ms$/,
      /^ManagedCluster c1 ManagedClusterConditionAvailable Unknown /,
      /^ManagedCluster c1 ManagedClusterConditionClockSynced False /,
      /^ManagedCluster c2 ManagedClusterConditionClockSynced False /,
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

describe('whole servers, a manager and agents', () => {
  it.each(CASES)('survive $fault', async ({ steps, happened }) => {
    const { violations, log, conditions } = await runSystem({ seed: 1, hasReplica: false, steps });
    const seen = [...log, ...conditions];
    expect(happened.filter((line) => !seen.some((text) => line.test(text)))).toEqual([]);
    expect(violations).toEqual([]);
  });
});
