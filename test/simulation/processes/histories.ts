import { type History, generate } from '@outrigger/simulator';
import { shortened } from './shorten.js';

/** The number of user steps in a generated history of the third layer. */
const ACTIONS = 8;

/** Returns the history of a seed. Every fifth one is a scene, whose pauses are longer than those of the generated histories. */
export function historyOf(seed: number): History {
  return seed % 5 === 4 ? longPause(seed) : shortened(generate(seed, { actions: ACTIONS, registered: 0 }));
}

/**
 * Returns a history in which a rollout is paused for longer than a pass may take from reading to writing, while a cluster waits for its
 * admission. Meanwhile a user installs the add-on on a cluster that no entry selects. The history has no faults, because with faults a
 * write may be based on an older state.
 */
function longPause(seed: number): History {
  const rollout = { type: 'Progressive', maxConcurrency: 1, maxFailures: 0, progressDeadline: 'None', minSuccessTime: '5s' } as const;
  return {
    seed,
    hasReplica: true,
    steps: [
      { afterMs: 0, step: { do: 'label', cluster: 'c3', fleet: false, canary: false } },
      {
        afterMs: 0,
        step: { do: 'declare', addOn: 'alpha', strategy: { type: 'Placements', rollout, hasCanary: false, defaultVersion: 'v1' } },
      },
      { afterMs: 1_000, step: { do: 'install by hand', addOn: 'alpha', cluster: 'c3' } },
      { afterMs: 1_000, step: { do: 'pause', addOn: 'alpha', paused: true } },
      { afterMs: 12_000, step: { do: 'pause', addOn: 'alpha', paused: false } },
    ],
  };
}
