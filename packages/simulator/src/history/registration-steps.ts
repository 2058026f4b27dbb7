import type { SeededRandom } from '@outrigger/core';
import { MACHINES } from '../world/credentials.js';
import { CLUSTERS, type ClusterName } from '../world/objects.js';
import type { RegistrationStep, Step, TimedStep } from './steps.js';

const WRONG = ['requester', 'subject', 'usages', 'add-on', 'token'] as const;
/** A time that is long enough for a cluster to be detached. */
const DETACHED_MS = 15_000;

/**
 * Adds steps about certificates to a history. They add no waiting time, so the other steps keep their times, unless a take-over at the
 * start delays them.
 */
export function registrationSteps(random: SeededRandom, steps: readonly TimedStep[]): readonly TimedStep[] {
  const [declareAlpha, declareBeta, ...rest] = steps;
  const start = [declareAlpha, declareBeta].filter((step) => step !== undefined);
  const mixed = rest.flatMap((step) => (random.chance(0.15) ? [{ afterMs: 0, step: single(random) }, step] : [step]));
  return [...start, ...(random.chance(0.6) ? takeOver(random) : []), ...mixed];
}

function single(random: SeededRandom): RegistrationStep {
  const cluster = random.pick(CLUSTERS);
  const machine = random.pick(MACHINES);
  return random.pick<RegistrationStep>([
    { do: 'ask to join', cluster, machine },
    { do: 'renew', cluster, machine },
    { do: 'ask for add-on', cluster, machine },
    { do: 'allow reuse', cluster },
    { do: 'wrong request', cluster, wrong: random.pick(WRONG) },
  ]);
}

/**
 * Returns steps in which a second machine asks for the name of a cluster while the first machine still has valid certificates. In most
 * cases the cluster is detached first and declared again.
 */
function takeOver(random: SeededRandom): readonly TimedStep[] {
  const cluster: ClusterName = random.pick(CLUSTERS.slice(0, 3));
  const after = (afterMs: number, step: Step): TimedStep => ({ afterMs, step });
  const pause = (): number => random.pick([0, 3, 40, 900, 5_000]);
  const isDetached = random.chance(0.8);
  const later: readonly RegistrationStep[] = [
    { do: 'renew', cluster, machine: 'first' },
    { do: 'ask for add-on', cluster, machine: 'first' },
    { do: 'ask for add-on', cluster, machine: 'second' },
    { do: 'ask to join', cluster, machine: 'first' },
    { do: 'renew', cluster, machine: 'second' },
    { do: 'renew', cluster, machine: 'first' },
    { do: 'ask for add-on', cluster, machine: 'first' },
  ];
  return [
    ...(isDetached ? [after(random.pick([900, 12_000]), { do: 'detach', cluster, isForced: random.chance(0.3) })] : []),
    ...(random.chance(0.7) ? [after(isDetached ? DETACHED_MS : 0, { do: 'allow reuse', cluster })] : []),
    after(pause(), { do: 'ask to join', cluster, machine: 'second' }),
    after(isDetached ? DETACHED_MS : pause(), { do: 'join', cluster, fleet: true, canary: false }),
    ...later.filter(() => random.chance(0.6)).map((step) => after(pause(), step)),
  ];
}
