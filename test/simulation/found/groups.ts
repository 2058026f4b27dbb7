import type { Found } from './found.js';

/** Histories in which a group of clusters once waited for a cluster that should not delay it, or in which a cluster was in the wrong group. */
export const GROUPS: readonly Found[] = [
  {
    title: 'the next group does not wait for an add-on that a user created and that has failed with its own revision',
    history: {
      seed: 60230,
      hasReplica: false,
      steps: [
        { afterMs: 8403, step: { do: 'edit template', addOn: 'beta', version: 'v1', content: 'bad-1' } },
        { afterMs: 23826, step: { do: 'install by hand', addOn: 'beta', cluster: 'c1' } },
        {
          afterMs: 3640,
          step: {
            do: 'declare',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: { type: 'ProgressivePerGroup', maxConcurrency: 1, maxFailures: 9, progressDeadline: '15s', minSuccessTime: '20s' },
              hasCanary: false,
              version: 'v2',
              defaultVersion: 'v1',
            },
          },
        },
        { afterMs: 60003, step: { do: 'join', cluster: 'c1', fleet: false, canary: false } },
      ],
    },
  },
  {
    title: 'a group does not wait for a cluster that is being deleted, once the rollout continues',
    history: {
      seed: 700072,
      hasReplica: false,
      paceMs: 100,
      hasOtherManager: false,
      hasRealAgents: false,
      steps: [
        {
          afterMs: 91823,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: {
                type: 'ProgressivePerGroup',
                maxConcurrency: 1,
                maxFailures: '50%',
                progressDeadline: '15s',
                minSuccessTime: '0s',
              },
              hasCanary: true,
              canaryVersion: 'v1',
              defaultVersion: 'v2',
            },
          },
        },
        { afterMs: 12000, step: { do: 'pause', addOn: 'alpha', paused: true } },
        { afterMs: 60000, step: { do: 'edit config', addOn: 'alpha', level: '2' } },
        { afterMs: 60010, step: { do: 'detach', cluster: 'c2', isForced: false } },
      ],
    },
  },
  {
    title: 'a group does not wait for a cluster that is being deleted while the strategy changes',
    history: {
      seed: 700443,
      hasReplica: false,
      paceMs: 100,
      hasOtherManager: false,
      hasRealAgents: false,
      steps: [
        {
          afterMs: 15050,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'ClusterLabelSelector',
              rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: 0, progressDeadline: 'None', minSuccessTime: '20s' },
              hasCanary: true,
              version: 'v1',
              defaultVersion: 'v2',
            },
          },
        },
        {
          afterMs: 60043,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'ProgressivePerGroup', maxConcurrency: 1, maxFailures: 1, progressDeadline: '15s', minSuccessTime: '0s' },
              hasCanary: false,
              defaultVersion: 'v1',
            },
          },
        },
        { afterMs: 43, step: { do: 'detach', cluster: 'c1', isForced: true } },
        { afterMs: 0, step: { do: 'edit template', addOn: 'alpha', version: 'v1', content: 'slow-1' } },
      ],
    },
  },
  {
    title: 'a cluster on two pages of decisions belongs to the first group',
    history: {
      seed: 8008091,
      hasReplica: false,
      paceMs: 100,
      hasOtherManager: false,
      hasRealAgents: true,
      steps: [
        { afterMs: 127403, step: { do: 'edit template', addOn: 'alpha', version: 'v1', content: 'good-3' } },
        {
          afterMs: 43,
          step: {
            do: 'declare',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: {
                type: 'ProgressivePerGroup',
                maxConcurrency: '50%',
                maxFailures: '50%',
                progressDeadline: '15s',
                minSuccessTime: '5s',
              },
              hasCanary: false,
              canaryVersion: 'v1',
              defaultVersion: 'v2',
            },
          },
        },
        { afterMs: 122720, step: { do: 'edit template', addOn: 'beta', version: 'v2', content: 'good-1' } },
        {
          afterMs: 1100,
          step: {
            do: 'edit everything',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: 1, progressDeadline: 'None', minSuccessTime: '0s' },
              hasCanary: false,
              version: 'v1',
              canaryVersion: 'v2',
              defaultVersion: 'v1',
            },
            version: 'v1',
            content: 'good-1',
            clusters: ['c3', 'c4'],
          },
        },
      ],
    },
  },
];
