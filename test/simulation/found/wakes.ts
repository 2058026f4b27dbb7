import type { Found } from './found.js';

/** Histories in which a change once did not wake an add-on. */
export const WAKES: readonly Found[] = [
  {
    title: 'a config that is edited back to the content of a pinned target wakes the add-on',
    history: {
      seed: 795,
      hasReplica: false,
      paceMs: 100,
      hasOtherManager: false,
      hasRealAgents: true,
      steps: [
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'beta',
            strategy: {
              type: 'Manual',
              rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: '50%', progressDeadline: '60s', minSuccessTime: '5s' },
              hasCanary: true,
              canaryVersion: 'v1',
              defaultVersion: 'v2',
            },
          },
        },
        { afterMs: 200206, step: { do: 'edit config', addOn: 'beta', level: '2' } },
        { afterMs: 1100, step: { do: 'pin', addOn: 'beta', back: 5 } },
        { afterMs: 7900, step: { do: 'edit config', addOn: 'beta', level: '1' } },
        { afterMs: 1103, step: { do: 'install by hand', addOn: 'beta', cluster: 'c1' } },
        { afterMs: 155646, step: { do: 'edit config', addOn: 'beta', level: '2' } },
      ],
    },
  },
  {
    title: 'a config that is edited and edited back at once wakes the add-ons',
    history: {
      seed: 5052,
      hasReplica: false,
      paceMs: 30,
      hasOtherManager: false,
      hasRealAgents: false,
      steps: [
        {
          afterMs: 4253,
          step: {
            do: 'declare',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: { type: 'All', maxConcurrency: 3, maxFailures: 0, progressDeadline: '60s', minSuccessTime: '0s' },
              hasCanary: true,
              canaryVersion: 'v2',
              defaultVersion: 'v1',
            },
          },
        },
        { afterMs: 19509, step: { do: 'edit config', addOn: 'beta', level: '1' } },
        { afterMs: 3, step: { do: 'edit config', addOn: 'beta', level: '0' } },
      ],
    },
  },
  {
    title: 'a request for an add-on that a user made waits if the add-on has no declaration',
    history: {
      seed: 8009766,
      hasReplica: false,
      paceMs: 100,
      hasOtherManager: false,
      hasRealAgents: true,
      hasRegistration: true,
      steps: [
        { afterMs: 9840, step: { do: 'ask for add-on', cluster: 'c2', machine: 'first' } },
        { afterMs: 2289, step: { do: 'install by hand', addOn: 'beta', cluster: 'c2' } },
      ],
    },
  },
];
