import type { Found } from './found.js';

/** Histories in which a soak once started at the wrong time. */
export const SOAKS: readonly Found[] = [
  {
    title: 'the soak of a cluster with a config of its own starts when the other configs have arrived',
    history: {
      seed: 137,
      hasReplica: false,
      paceMs: 30,
      hasOtherManager: false,
      hasRealAgents: true,
      steps: [
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: '50%', progressDeadline: 'None', minSuccessTime: '0s' },
              hasCanary: true,
              defaultVersion: 'v2',
            },
          },
        },
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: 9, progressDeadline: '15s', minSuccessTime: '20s' },
              hasCanary: true,
              defaultVersion: 'v2',
            },
          },
        },
        { afterMs: 6140, step: { do: 'override config', addOn: 'alpha', cluster: 'c2', isSet: true } },
      ],
    },
  },
  {
    title: 'a new leader measures the soak from the end of the move, although a lagging hub never reported the start of the move',
    history: {
      seed: 1491,
      hasReplica: true,
      paceMs: 30,
      hasOtherManager: false,
      hasRealAgents: false,
      steps: [
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: 9, progressDeadline: '60s', minSuccessTime: '0s' },
              hasCanary: true,
              defaultVersion: 'v1',
            },
          },
        },
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: { type: 'Progressive', maxConcurrency: 2, maxFailures: '50%', progressDeadline: '15s', minSuccessTime: '0s' },
              hasCanary: true,
              version: 'v2',
              canaryVersion: 'v2',
              defaultVersion: 'v1',
            },
          },
        },
        { afterMs: 17050, step: { do: 'crash', writes: 4, downMs: 500 } },
        { afterMs: 1100, step: { do: 'edit config', addOn: 'beta', level: '1' } },
        { afterMs: 268090, step: { do: 'lag', process: 1, resource: 'add-ons', ms: 8000, forMs: 30000 } },
        { afterMs: 0, step: { do: 'pin', addOn: 'beta', back: 2 } },
        {
          afterMs: 12000,
          step: {
            do: 'declare',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: 1, progressDeadline: '60s', minSuccessTime: '20s' },
              hasCanary: true,
              canaryVersion: 'v2',
              defaultVersion: 'v1',
            },
          },
        },
        { afterMs: 8800, step: { do: 'leader change' } },
        { afterMs: 200, step: { do: 'label', cluster: 'c3', fleet: false, canary: false } },
      ],
    },
  },
  {
    title: 'a soak counts from the pass that found the add-on done, although a slow request stored it seconds later',
    history: {
      seed: 60117,
      hasReplica: true,
      paceMs: 30,
      hasOtherManager: false,
      hasRealAgents: false,
      steps: [
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'Progressive', maxConcurrency: 3, maxFailures: 0, progressDeadline: '60s', minSuccessTime: '20s' },
              hasCanary: false,
              defaultVersion: 'v2',
            },
          },
        },
        { afterMs: 300, step: { do: 'slow requests', forMs: 10000 } },
        { afterMs: 12000, step: { do: 'leader change' } },
        { afterMs: 30000, step: { do: 'pause', addOn: 'alpha', paused: false } },
      ],
    },
  },
];
