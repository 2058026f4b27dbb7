import type { SeededRandom } from '@outrigger/core';
import { ADD_ONS, CLUSTERS, type ClusterName } from '../world/objects.js';
import type { ServerName, SystemFaultStep, TimedStep } from './steps.js';

/** The times for which a server does not answer. */
const AWAY_MS = [1, 900, 8_000] as const;

/** The first and the last are longer than the time after which the hub misses the renewals of a lease. */
const CLOCK_STEPS_MS = [-3_600_000, -240_000, -5_000, 60_000, 600_000, 3_600_000] as const;

/** Adds faults of whole servers and machines to a history, during the pauses of its steps and after the last one. The steps keep their times. */
export function systemFaults(random: SeededRandom, steps: readonly TimedStep[]): readonly TimedStep[] {
  const start = steps.slice(0, ADD_ONS.length);
  // No machine joins again under the name of a cluster that was detached. The last cluster does not exist at the start.
  const staying = CLUSTERS.slice(0, -1).filter((name) => !steps.some(({ step }) => step.do === 'detach' && step.cluster === name));
  const fault = (): SystemFaultStep => single(random, staying);
  const rest = steps.slice(ADD_ONS.length).flatMap((timed) => (random.chance(0.2) ? during(random, timed, fault()) : [timed]));
  const last = random.chance(0.5) ? [{ afterMs: random.pick([0, 900, 5_000]), step: fault() }] : [];
  return [...start, ...rest, ...last];
}

/** Returns the step with a fault at some time in the pause before it. */
function during(random: SeededRandom, { afterMs, step }: TimedStep, fault: SystemFaultStep): readonly TimedStep[] {
  const faultMs = random.below(afterMs + 1);
  return [
    { afterMs: faultMs, step: fault },
    { afterMs: afterMs - faultMs, step },
  ];
}

/** Returns a fault. Only a certificate of one of the `staying` clusters expires. */
function single(random: SeededRandom, staying: readonly ClusterName[]): SystemFaultStep {
  const server = serverOf(random);
  return random.pick<SystemFaultStep>([
    { do: 'server restart', server, downMs: random.pick(AWAY_MS) },
    { do: 'history lost', server, forMs: random.pick(AWAY_MS) },
    { do: 'agent clock', cluster: random.pick(CLUSTERS), ms: random.pick(CLOCK_STEPS_MS), forMs: random.pick([5_000, 60_000, 600_000]) },
    { do: 'webhook outage', forMs: random.pick([900, 8_000, 60_000]), isSilent: random.chance(0.3) },
    ...(staying.length > 0 ? [{ do: 'certificate expires', cluster: random.pick(staying) } as const] : []),
  ]);
}

/** Returns the server of the hub more often than that of a cluster, because all processes need it. */
function serverOf(random: SeededRandom): ServerName {
  return random.chance(0.6) ? 'hub' : random.pick(CLUSTERS);
}
