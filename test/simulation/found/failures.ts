import type { Found } from './found.js';

/** Histories in which a failure once counted for the wrong entry or target. */
export const FAILURES: readonly Found[] = [
  {
    title: 'a failed override of the version is not a failure of the target',
    history: {
      seed: 257,
      hasReplica: false,
      paceMs: 3,
      hasOtherManager: true,
      hasRealAgents: false,
      steps: [
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'ProgressivePerGroup', maxConcurrency: 2, maxFailures: 0, progressDeadline: 'None', minSuccessTime: '0s' },
              hasCanary: false,
              canaryVersion: 'v1',
              defaultVersion: 'v2',
            },
          },
        },
        { afterMs: 5133, step: { do: 'override version', addOn: 'alpha', cluster: 'c3', version: 'v2' } },
        { afterMs: 1113, step: { do: 'edit template', addOn: 'alpha', version: 'v2', content: 'bad-1' } },
        { afterMs: 14786, step: { do: 'group size', size: 2 } },
      ],
    },
  },
  {
    title: 'a failure counts in the entry that takes over the cluster from a wildcard admission of the same target',
    history: {
      seed: 1867,
      hasReplica: false,
      paceMs: 3,
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
              rollout: { type: 'Progressive', maxConcurrency: 2, maxFailures: 1, progressDeadline: '15s', minSuccessTime: '5s' },
              hasCanary: true,
              defaultVersion: 'v1',
            },
          },
        },
        {
          afterMs: 2020,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Manual',
              rollout: {
                type: 'ProgressivePerGroup',
                maxConcurrency: '50%',
                maxFailures: 0,
                progressDeadline: 'None',
                minSuccessTime: '20s',
              },
              hasCanary: true,
              version: 'v1',
              defaultVersion: 'v2',
            },
          },
        },
        { afterMs: 10, step: { do: 'override version', addOn: 'alpha', cluster: 'c2', version: 'v1' } },
        { afterMs: 943, step: { do: 'uninstall by hand', addOn: 'alpha', cluster: 'c3' } },
        { afterMs: 0, step: { do: 'edit template', addOn: 'alpha', version: 'v1', content: 'bad-1' } },
        {
          afterMs: 266216,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'Progressive', maxConcurrency: 2, maxFailures: 0, progressDeadline: 'None', minSuccessTime: '5s' },
              hasCanary: true,
              version: 'v2',
              defaultVersion: 'v1',
            },
          },
        },
      ],
    },
  },
  {
    title: 'a revision that failed in an earlier entry and is the target of hand-made add-ons now counts no failure of the others',
    history: {
      seed: 501463,
      hasReplica: false,
      paceMs: 3,
      hasOtherManager: false,
      hasRealAgents: false,
      steps: [
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'ClusterLabelSelector',
              rollout: { type: 'Progressive', maxConcurrency: 3, maxFailures: 9, progressDeadline: '15s', minSuccessTime: '0s' },
              hasCanary: false,
              defaultVersion: 'v2',
            },
          },
        },
        { afterMs: 30000, step: { do: 'edit template', addOn: 'alpha', version: 'v2', content: 'bad-1' } },
        {
          afterMs: 60000,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: 0, progressDeadline: '60s', minSuccessTime: '0s' },
              hasCanary: false,
              defaultVersion: 'v2',
              version: 'v1',
            },
          },
        },
        { afterMs: 30000, step: { do: 'metrics', addOn: 'alpha', value: 0 } },
      ],
    },
  },
  {
    title: 'the failure of an overridden version does not count for the next target before the cluster is retargeted',
    history: {
      seed: 8000603,
      hasReplica: false,
      paceMs: 30,
      hasOtherManager: false,
      hasRealAgents: false,
      steps: [
        { afterMs: 26946, step: { do: 'edit template', addOn: 'alpha', version: 'v1', content: 'bad-1' } },
        {
          afterMs: 37113,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'ProgressivePerGroup', maxConcurrency: 1, maxFailures: 1, progressDeadline: 'None', minSuccessTime: '5s' },
              hasCanary: false,
              canaryVersion: 'v1',
              defaultVersion: 'v2',
            },
          },
        },
        {
          afterMs: 2700,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'ClusterLabelSelector',
              rollout: { type: 'ProgressivePerGroup', maxConcurrency: 2, maxFailures: 0, progressDeadline: '15s', minSuccessTime: '20s' },
              hasCanary: true,
              version: 'v2',
              canaryVersion: 'v2',
              defaultVersion: 'v1',
            },
          },
        },
        { afterMs: 3, step: { do: 'override version', addOn: 'alpha', cluster: 'c3', version: 'v1' } },
        { afterMs: 11140, step: { do: 'edit template', addOn: 'alpha', version: 'v2', content: 'bad-1' } },
      ],
    },
  },
];
