import type { Found } from './found.js';

/** Histories in which the fleet controller once recorded an admission wrongly, or moved a cluster that it had not admitted. */
export const ADMISSIONS: readonly Found[] = [
  {
    title: 'the record names a cluster once, although a wildcard admission of an earlier target had named it too',
    history: {
      seed: 49,
      hasReplica: false,
      steps: [
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: {
                type: 'Progressive',
                maxConcurrency: 1,
                maxFailures: 0,
                progressDeadline: '60s',
                minSuccessTime: '5s',
              },
              hasCanary: true,
              canaryVersion: 'v2',
              defaultVersion: 'v2',
            },
          },
        },
        {
          afterMs: 2520,
          step: {
            do: 'declare',
            addOn: 'beta',
            strategy: {
              type: 'Manual',
              rollout: {
                type: 'Progressive',
                maxConcurrency: 1,
                maxFailures: 0,
                progressDeadline: '15s',
                minSuccessTime: '20s',
              },
              hasCanary: false,
              defaultVersion: 'v1',
            },
          },
        },
        {
          afterMs: 477539,
          step: {
            do: 'declare',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: {
                type: 'All',
                maxConcurrency: 2,
                maxFailures: 0,
                progressDeadline: 'None',
                minSuccessTime: '0s',
              },
              hasCanary: false,
              version: 'v2',
              canaryVersion: 'v2',
              defaultVersion: 'v2',
            },
          },
        },
        {
          afterMs: 2500,
          step: {
            do: 'edit config',
            addOn: 'beta',
            level: '1',
          },
        },
      ],
    },
  },
  {
    title: 'under a policy, a cluster in flight that is being deleted is retargeted without a slot: the record says that it is parked',
    history: {
      seed: 701353,
      hasReplica: false,
      paceMs: 100,
      hasOtherManager: false,
      hasRealAgents: false,
      steps: [
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: 0, progressDeadline: 'None', minSuccessTime: '0s' },
              hasCanary: false,
              defaultVersion: 'v1',
            },
          },
        },
        {
          afterMs: 40000,
          step: { do: 'policy', policy: 'guard', shape: { addOns: ['beta'], operations: ['Upgrade'], onFailure: { action: 'RollBack' } } },
        },
        { afterMs: 124700, step: { do: 'edit config', addOn: 'beta', level: '2' } },
        {
          afterMs: 1300,
          step: {
            do: 'declare',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: '50%', progressDeadline: '60s', minSuccessTime: '0s' },
              hasCanary: false,
              version: 'v2',
              canaryVersion: 'v1',
              defaultVersion: 'v2',
            },
          },
        },
        { afterMs: 3, step: { do: 'detach', cluster: 'c1', isForced: false } },
        { afterMs: 1110, step: { do: 'uninstall by hand', addOn: 'beta', cluster: 'c4' } },
      ],
    },
  },
  {
    title: 'a target completes with a cluster whose configs a user chose, although its annotation names the revision of hand-made add-ons',
    history: {
      seed: 4400041,
      hasReplica: false,
      paceMs: 30,
      hasOtherManager: true,
      hasRealAgents: false,
      steps: [
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: {
                type: 'ProgressivePerGroup',
                maxConcurrency: '50%',
                maxFailures: 0,
                progressDeadline: '60s',
                minSuccessTime: '0s',
              },
              hasCanary: true,
              version: 'v1',
              canaryVersion: 'v1',
              defaultVersion: 'v2',
            },
          },
        },
        { afterMs: 2350, step: { do: 'override config', addOn: 'beta', cluster: 'c1', isSet: true } },
        {
          afterMs: 200,
          step: {
            do: 'declare',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: { type: 'All', maxConcurrency: 3, maxFailures: 9, progressDeadline: 'None', minSuccessTime: '0s' },
              hasCanary: true,
              canaryVersion: 'v2',
              defaultVersion: 'v1',
            },
          },
        },
      ],
    },
  },
  {
    title: 'a cluster that comes from another entry keeps its admission in an entry that had a wildcard admission',
    history: {
      seed: 8002955,
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
              rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: '50%', progressDeadline: 'None', minSuccessTime: '0s' },
              hasCanary: true,
              version: 'v1',
              defaultVersion: 'v2',
            },
          },
        },
        {
          afterMs: 68009,
          step: {
            do: 'edit everything',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'ProgressivePerGroup', maxConcurrency: 1, maxFailures: 1, progressDeadline: 'None', minSuccessTime: '0s' },
              hasCanary: true,
              version: 'v1',
              defaultVersion: 'v2',
            },
            version: 'v2',
            content: 'bad-1',
            clusters: ['c1', 'c2', 'c3', 'c4'],
          },
        },
        {
          afterMs: 50,
          step: {
            do: 'edit everything',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'All', maxConcurrency: '50%', maxFailures: '50%', progressDeadline: '60s', minSuccessTime: '20s' },
              hasCanary: true,
              version: 'v1',
              canaryVersion: 'v2',
              defaultVersion: 'v1',
            },
            version: 'v2',
            content: 'good-2',
            clusters: ['c1', 'c2', 'c3', 'c4'],
          },
        },
        {
          afterMs: 2060,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: {
                type: 'ProgressivePerGroup',
                maxConcurrency: 2,
                maxFailures: '50%',
                progressDeadline: '15s',
                minSuccessTime: '0s',
              },
              hasCanary: false,
              version: 'v2',
              defaultVersion: 'v1',
            },
          },
        },
      ],
    },
  },
  {
    title: 'a wildcard admission completes when the add-on that a user made has its own target',
    history: {
      seed: 8003007,
      hasReplica: false,
      paceMs: 30,
      hasOtherManager: false,
      hasRealAgents: false,
      steps: [
        { afterMs: 96640, step: { do: 'install by hand', addOn: 'alpha', cluster: 'c1' } },
        {
          afterMs: 13,
          step: {
            do: 'edit everything',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'All', maxConcurrency: 3, maxFailures: 1, progressDeadline: '60s', minSuccessTime: '20s' },
              hasCanary: true,
              canaryVersion: 'v2',
              defaultVersion: 'v1',
            },
            version: 'v1',
            content: 'good-2',
            clusters: ['c1', 'c4'],
          },
        },
      ],
    },
  },
  {
    title: 'a template that is edited while the clusters of a strategy that replaces Manual are uncertain moves none of them',
    history: {
      seed: 1634,
      hasReplica: false,
      paceMs: 30,
      steps: [
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: {
                type: 'ProgressivePerGroup',
                maxConcurrency: '50%',
                maxFailures: '50%',
                progressDeadline: '15s',
                minSuccessTime: '20s',
              },
              hasCanary: false,
              version: 'v1',
              defaultVersion: 'v2',
            },
          },
        },
        {
          afterMs: 16453,
          step: {
            do: 'edit everything',
            addOn: 'alpha',
            strategy: {
              type: 'Manual',
              rollout: {
                type: 'All',
                maxConcurrency: '50%',
                maxFailures: 1,
                progressDeadline: 'None',
                minSuccessTime: '20s',
              },
              hasCanary: false,
              defaultVersion: 'v1',
            },
            version: 'v1',
            content: 'slow-1',
            clusters: ['c1', 'c2', 'c3', 'c4'],
          },
        },
        {
          afterMs: 3356,
          step: {
            do: 'edit everything',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: {
                type: 'Progressive',
                maxConcurrency: 1,
                maxFailures: '50%',
                progressDeadline: '15s',
                minSuccessTime: '5s',
              },
              hasCanary: false,
              defaultVersion: 'v2',
            },
            version: 'v1',
            content: 'bad-1',
            clusters: ['c2', 'c3', 'c4'],
          },
        },
      ],
    },
  },
  {
    title: 'content of add-ons without an entry stays as it is while their removal waits for a confirmation',
    history: {
      seed: 10000056,
      hasReplica: false,
      steps: [
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: 0, progressDeadline: 'None', minSuccessTime: '0s' },
              hasCanary: false,
              defaultVersion: 'v2',
            },
          },
        },
        { afterMs: 40_000, step: { do: 'edit entries', addOn: 'alpha', entries: [] } },
        { afterMs: 12_000, step: { do: 'edit template', addOn: 'alpha', version: 'v2', content: 'slow-7' } },
      ],
    },
  },
];
