import type { SeededRandom } from '@outrigger/core';
import { ADD_ONS, CLUSTERS } from '../world/objects.js';
import type { ServerName, SystemFaultStep, TimedStep } from './steps.js';

/** The times for which a server does not answer. */
const AWAY_MS = [1, 900, 8_000] as const;

/** The first and the last are longer than the time after which the hub misses the renewals of a lease. */
const CLOCK_STEPS_MS = [-3_600_000, -240_000, -5_000, 60_000, 600_000, 3_600_000] as const;

/** Adds faults of whole servers and machines to a history, during the pauses of its steps and after the last one. The steps keep their times. */
export function systemFaults(random: SeededRandom, steps: readonly TimedStep[]): readonly TimedStep[] {
  const start = steps.slice(0, ADD_ONS.length);
  const rest = steps.slice(ADD_ONS.length).flatMap((timed) => (random.chance(0.2) ? during(random, timed) : [timed]));
  const last = random.chance(0.5) ? [{ afterMs: random.pick([0, 900, 5_000]), step: single(random) }] : [];
  return [...start, ...rest, ...last];
}

/** Returns the step with a fault at some time in the pause before it. */
function during(random: SeededRandom, { afterMs, step }: TimedStep): readonly TimedStep[] {
  const faultMs = random.below(afterMs + 1);
  return [
    { afterMs: faultMs, step: single(random) },
    { afterMs: afterMs - faultMs, step },
  ];
}

function single(random: SeededRandom): SystemFaultStep {
  const server = serverOf(random);
  return random.pick<SystemFaultStep>([
    { do: 'server restart', server, downMs: random.pick(AWAY_MS) },
    { do: 'history lost', server, forMs: random.pick(AWAY_MS) },
    { do: 'agent clock', cluster: random.pick(CLUSTERS), ms: random.pick(CLOCK_STEPS_MS), forMs: random.pick([5_000, 60_000, 600_000]) },
    { do: 'webhook outage', forMs: random.pick([900, 8_000, 60_000]), isSilent: random.chance(0.3) },
  ]);
}

/** Returns the server of the hub more often than that of a cluster, because all processes need it. */
function serverOf(random: SeededRandom): ServerName {
  return random.chance(0.6) ? 'hub' : random.pick(CLUSTERS);
}
