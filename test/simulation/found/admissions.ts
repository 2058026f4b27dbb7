import type { Found } from './found.js';

/** Histories in which the fleet controller once admitted a cluster wrongly, or failed to admit one. */
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
    title: 'a cluster that joins while the rollout is paused gets the completed revision, although a cluster of an earlier group waits',
    history: {
      seed: 80,
      hasReplica: false,
      paceMs: 30,
      hasOtherManager: false,
      hasRealAgents: true,
      steps: [
        {
          afterMs: 4386,
          step: {
            do: 'edit everything',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: { type: 'All', maxConcurrency: 3, maxFailures: 1, progressDeadline: '15s', minSuccessTime: '0s' },
              hasCanary: false,
              version: 'v2',
              defaultVersion: 'v1',
            },
            version: 'v1',
            content: 'slow-1',
            clusters: ['c1', 'c4'],
          },
        },
        { afterMs: 3150, step: { do: 'pause', addOn: 'beta', paused: true } },
        {
          afterMs: 40,
          step: {
            do: 'declare',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: { type: 'All', maxConcurrency: 3, maxFailures: 9, progressDeadline: '60s', minSuccessTime: '0s' },
              hasCanary: true,
              canaryVersion: 'v1',
              defaultVersion: 'v2',
            },
          },
        },
        { afterMs: 2040, step: { do: 'edit template', addOn: 'beta', version: 'v2', content: 'good-1' } },
        {
          afterMs: 11896,
          step: {
            do: 'edit everything',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: { type: 'ProgressivePerGroup', maxConcurrency: 2, maxFailures: 0, progressDeadline: '60s', minSuccessTime: '0s' },
              hasCanary: false,
              canaryVersion: 'v2',
              defaultVersion: 'v2',
            },
            version: 'v1',
            content: 'good-3',
            clusters: ['c1', 'c2', 'c4'],
          },
        },
        { afterMs: 1840, step: { do: 'pin', addOn: 'beta', back: undefined } },
      ],
    },
  },
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
    title: 'a cluster that joins while the rollout is paused waits for a window that is closed for installations, under strategy All',
    history: {
      seed: 500708,
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
              rollout: { type: 'All', maxConcurrency: 3, maxFailures: 0, progressDeadline: '60s', minSuccessTime: '0s' },
              hasCanary: false,
              defaultVersion: 'v1',
            },
          },
        },
        { afterMs: 60000, step: { do: 'label', cluster: 'c3', fleet: false, canary: false } },
        {
          afterMs: 60000,
          step: {
            do: 'policy',
            policy: 'calendar',
            shape: { addOns: ['alpha'], freeze: { afterMs: 0, forMs: 90000 }, operations: ['Upgrade', 'Install'] },
          },
        },
        { afterMs: 2500, step: { do: 'pause', addOn: 'alpha', paused: true } },
        { afterMs: 2500, step: { do: 'label', cluster: 'c3', fleet: true, canary: false } },
        { afterMs: 20000, step: { do: 'pause', addOn: 'alpha', paused: false } },
      ],
    },
  },
  {
    title: 'a cluster that joins while the rollout is paused waits for a window that is closed for installations, under a budget',
    history: {
      seed: 500709,
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
              rollout: { type: 'Progressive', maxConcurrency: 3, maxFailures: 0, progressDeadline: '60s', minSuccessTime: '0s' },
              hasCanary: false,
              defaultVersion: 'v1',
            },
          },
        },
        { afterMs: 60000, step: { do: 'label', cluster: 'c3', fleet: false, canary: false } },
        {
          afterMs: 60000,
          step: {
            do: 'policy',
            policy: 'calendar',
            shape: { addOns: ['alpha'], freeze: { afterMs: 0, forMs: 90000 }, operations: ['Upgrade', 'Install'] },
          },
        },
        { afterMs: 2500, step: { do: 'pause', addOn: 'alpha', paused: true } },
        { afterMs: 2500, step: { do: 'label', cluster: 'c3', fleet: true, canary: false } },
        { afterMs: 20000, step: { do: 'pause', addOn: 'alpha', paused: false } },
      ],
    },
  },
  {
    title: 'clusters that join while a pin names an unknown revision get the revision that completed, whatever their groups',
    history: {
      seed: 500078,
      hasReplica: false,
      paceMs: 30,
      hasOtherManager: false,
      hasRealAgents: false,
      steps: [
        { afterMs: 0, step: { do: 'group size', size: 2 } },
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'ProgressivePerGroup', maxConcurrency: 3, maxFailures: 0, progressDeadline: '60s', minSuccessTime: '0s' },
              hasCanary: false,
              defaultVersion: 'v1',
            },
          },
        },
        { afterMs: 60000, step: { do: 'label', cluster: 'c1', fleet: false, canary: false } },
        { afterMs: 0, step: { do: 'label', cluster: 'c3', fleet: false, canary: false } },
        { afterMs: 60000, step: { do: 'pin', addOn: 'alpha', back: 5 } },
        { afterMs: 5000, step: { do: 'label', cluster: 'c1', fleet: true, canary: false } },
        { afterMs: 0, step: { do: 'label', cluster: 'c3', fleet: true, canary: false } },
        { afterMs: 20000, step: { do: 'metrics', addOn: 'alpha', value: 0 } },
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
