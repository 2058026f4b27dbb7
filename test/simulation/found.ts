import type { History } from '@outrigger/simulator';

/** A minimized history that once violated an invariant. */
export interface Found {
  /** A title that describes the defect and its cause. */
  readonly title: string;
  readonly history: History;
}

export const FOUND: readonly Found[] = [
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
    title: 'content that nothing names is collected when its grace period ends, not at the next restart',
    history: {
      seed: 1,
      hasReplica: false,
      steps: [
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Manual',
              rollout: {
                type: 'All',
                maxConcurrency: 1,
                maxFailures: 0,
                progressDeadline: '15s',
                minSuccessTime: '20s',
              },
              hasCanary: false,
              canaryVersion: 'v1',
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
              rollout: {
                type: 'Progressive',
                maxConcurrency: 1,
                maxFailures: 0,
                progressDeadline: '15s',
                minSuccessTime: '0s',
              },
              hasCanary: true,
              version: 'v2',
              canaryVersion: 'v2',
              defaultVersion: 'v1',
            },
          },
        },
        {
          afterMs: 15419,
          step: {
            do: 'edit everything',
            addOn: 'beta',
            strategy: {
              type: 'Manual',
              rollout: {
                type: 'Progressive',
                maxConcurrency: 1,
                maxFailures: 0,
                progressDeadline: '60s',
                minSuccessTime: '20s',
              },
              hasCanary: false,
              canaryVersion: 'v1',
              defaultVersion: 'v1',
            },
            version: 'v2',
            content: 'bad-1',
            clusters: ['c1', 'c4'],
          },
        },
        {
          afterMs: 3,
          step: {
            do: 'uninstall by hand',
            addOn: 'beta',
            cluster: 'c4',
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
      hasForeignClusters: false,
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
    title: 'an analysis rejects content that one entry has completed and another entry has not',
    history: {
      seed: 117,
      hasReplica: false,
      paceMs: 100,
      hasForeignClusters: false,
      hasRealAgents: true,
      steps: [
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'ProgressivePerGroup', maxConcurrency: 2, maxFailures: 0, progressDeadline: '15s', minSuccessTime: '0s' },
              hasCanary: false,
              defaultVersion: 'v2',
            },
          },
        },
        { afterMs: 72000, step: { do: 'detach', cluster: 'c2', isForced: false } },
        { afterMs: 31459, step: { do: 'install by hand', addOn: 'alpha', cluster: 'c2' } },
        {
          afterMs: 5000,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'Progressive', maxConcurrency: 3, maxFailures: '50%', progressDeadline: '60s', minSuccessTime: '20s' },
              hasCanary: true,
              canaryVersion: 'v2',
              defaultVersion: 'v1',
            },
          },
        },
        {
          afterMs: 2440,
          step: {
            do: 'policy',
            policy: 'guard',
            shape: {
              addOns: ['alpha', 'beta'],
              operations: ['Upgrade'],
              approval: { place: 'before Group', required: 2, waitSeconds: 30 },
              analysis: { count: 2, intervalSeconds: 5, initialDelaySeconds: 0, failureLimit: 0 },
              onFailure: { action: 'RollBack' },
            },
          },
        },
        { afterMs: 2700, step: { do: 'metrics', addOn: 'alpha', value: 1 } },
        { afterMs: 5000, step: { do: 'uninstall by hand', addOn: 'alpha', cluster: 'c4' } },
      ],
    },
  },
  {
    title: 'the soak of a cluster with a config of its own starts when the other configs have arrived',
    history: {
      seed: 137,
      hasReplica: false,
      paceMs: 30,
      hasForeignClusters: false,
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
    title: 'a failed override of the version is not a failure of the target',
    history: {
      seed: 257,
      hasReplica: false,
      paceMs: 3,
      hasForeignClusters: true,
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
    title: 'an installation on a cluster where a user has made the same object costs one more write',
    history: {
      seed: 287,
      hasReplica: false,
      paceMs: 30,
      hasForeignClusters: false,
      hasRealAgents: true,
      steps: [
        { afterMs: 18652, step: { do: 'on cluster', cluster: 'c1', addOn: 'alpha', change: 'create' } },
        {
          afterMs: 2700,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'ClusterLabelSelector',
              rollout: { type: 'Progressive', maxConcurrency: '50%', maxFailures: '50%', progressDeadline: '60s', minSuccessTime: '0s' },
              hasCanary: true,
              version: 'v1',
              defaultVersion: 'v1',
            },
          },
        },
      ],
    },
  },
  {
    title: 'content that two add-ons share stays stored when one of them no longer needs it',
    history: {
      seed: 1149,
      hasReplica: false,
      paceMs: 30,
      hasForeignClusters: false,
      hasRealAgents: false,
      steps: [
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'Progressive', maxConcurrency: 3, maxFailures: 0, progressDeadline: 'None', minSuccessTime: '0s' },
              hasCanary: false,
              canaryVersion: 'v1',
              defaultVersion: 'v2',
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
              rollout: { type: 'Progressive', maxConcurrency: 3, maxFailures: 0, progressDeadline: '15s', minSuccessTime: '5s' },
              hasCanary: true,
              version: 'v2',
              canaryVersion: 'v2',
              defaultVersion: 'v1',
            },
          },
        },
        { afterMs: 52193, step: { do: 'override config', addOn: 'beta', cluster: 'c2', isSet: true } },
        {
          afterMs: 12040,
          step: {
            do: 'edit everything',
            addOn: 'beta',
            strategy: {
              type: 'ClusterLabelSelector',
              rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: 0, progressDeadline: '15s', minSuccessTime: '20s' },
              hasCanary: true,
              defaultVersion: 'v2',
            },
            version: 'v2',
            content: 'good-2',
            clusters: ['c1', 'c3', 'c4'],
          },
        },
        { afterMs: 164172, step: { do: 'override config', addOn: 'alpha', cluster: 'c3', isSet: true } },
      ],
    },
  },
  {
    title: 'a new leader measures the soak from the end of the move, although a lagging hub never reported the start of the move',
    history: {
      seed: 1491,
      hasReplica: true,
      paceMs: 30,
      hasForeignClusters: false,
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
    title: 'a failure counts in the entry that takes over the cluster from a wildcard admission of the same target',
    history: {
      seed: 1867,
      hasReplica: false,
      paceMs: 3,
      hasForeignClusters: false,
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
    title: 'a gate that was removed while it held clusters holds a cluster that comes before it opens',
    history: {
      seed: 1202,
      hasReplica: false,
      paceMs: 30,
      hasForeignClusters: true,
      hasRealAgents: false,
      steps: [
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: { type: 'All', maxConcurrency: 2, maxFailures: 0, progressDeadline: '15s', minSuccessTime: '5s' },
              hasCanary: true,
              defaultVersion: 'v2',
            },
          },
        },
        { afterMs: 2953, step: { do: 'label', cluster: 'c3', fleet: false, canary: false } },
        {
          afterMs: 157366,
          step: {
            do: 'policy',
            policy: 'guard',
            shape: {
              addOns: ['beta'],
              hours: { afterMs: 0, forMs: 2000 },
              operations: ['Upgrade'],
              approval: { place: 'after Group', required: 1, waitSeconds: 5 },
            },
          },
        },
        {
          afterMs: 2703,
          step: {
            do: 'edit everything',
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
              hasCanary: false,
              version: 'v1',
              canaryVersion: 'v2',
              defaultVersion: 'v2',
            },
            version: 'v1',
            content: 'good-1',
            clusters: ['c1', 'c3', 'c4'],
          },
        },
        {
          afterMs: 1110,
          step: {
            do: 'edit everything',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: { type: 'All', maxConcurrency: 3, maxFailures: '50%', progressDeadline: 'None', minSuccessTime: '0s' },
              hasCanary: true,
              version: 'v2',
              canaryVersion: 'v1',
              defaultVersion: 'v1',
            },
            version: 'v2',
            content: 'bad-1',
            clusters: ['c1', 'c3', 'c4'],
          },
        },
      ],
    },
  },
  {
    title: 'a config that is edited back to the content of a pinned target wakes the add-on',
    history: {
      seed: 795,
      hasReplica: false,
      paceMs: 100,
      hasForeignClusters: false,
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
      hasForeignClusters: false,
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
    title: 'a cluster that joins under a gate is not admitted beside clusters that use up the budget',
    history: {
      seed: 30167,
      hasReplica: true,
      paceMs: 30,
      hasForeignClusters: false,
      hasRealAgents: true,
      steps: [
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: 0, progressDeadline: 'None', minSuccessTime: '20s' },
              hasCanary: true,
              canaryVersion: 'v1',
              defaultVersion: 'v1',
            },
          },
        },
        { afterMs: 147996, step: { do: 'join', cluster: 'c4', fleet: false, canary: false } },
        {
          afterMs: 9700,
          step: {
            do: 'policy',
            policy: 'calendar',
            shape: {
              addOns: ['alpha', 'beta'],
              operations: ['Upgrade', 'Install', 'Remove'],
              analysis: { count: 2, intervalSeconds: 5, initialDelaySeconds: 0, failureLimit: 0 },
            },
          },
        },
        {
          afterMs: 194346,
          step: {
            do: 'edit everything',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: {
                type: 'ProgressivePerGroup',
                maxConcurrency: '50%',
                maxFailures: 0,
                progressDeadline: 'None',
                minSuccessTime: '0s',
              },
              hasCanary: false,
              version: 'v1',
              defaultVersion: 'v1',
            },
            version: 'v1',
            content: 'slow-1',
            clusters: ['c2', 'c3', 'c4'],
          },
        },
        { afterMs: 5000, step: { do: 'delete policy', policy: 'guard' } },
      ],
    },
  },
  {
    title: 'a wildcard admission that waits for annotations does not admit a cluster that comes back during a freeze',
    history: {
      seed: 60183,
      hasReplica: false,
      paceMs: 100,
      hasForeignClusters: false,
      hasRealAgents: false,
      steps: [
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'ClusterLabelSelector',
              rollout: { type: 'All', maxConcurrency: 2, maxFailures: 0, progressDeadline: 'None', minSuccessTime: '0s' },
              hasCanary: false,
              defaultVersion: 'v1',
            },
          },
        },
        { afterMs: 20000, step: { do: 'label', cluster: 'c3', fleet: false, canary: false } },
        { afterMs: 100, step: { do: 'edit template', addOn: 'alpha', version: 'v1', content: 'good-1' } },
        {
          afterMs: 6000,
          step: {
            do: 'policy',
            policy: 'calendar',
            shape: { addOns: ['alpha'], freeze: { afterMs: 0, forMs: 20000 }, operations: ['Upgrade'] },
          },
        },
        {
          afterMs: 2000,
          step: {
            do: 'edit everything',
            addOn: 'alpha',
            strategy: {
              type: 'ClusterLabelSelector',
              rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: 0, progressDeadline: 'None', minSuccessTime: '0s' },
              hasCanary: false,
              defaultVersion: 'v1',
            },
            version: 'v1',
            content: 'good-2',
            clusters: ['c1', 'c2', 'c3'],
          },
        },
        { afterMs: 5000, step: { do: 'pause', addOn: 'alpha', paused: false } },
      ],
    },
  },
  {
    title: 'a soak counts from the pass that found the add-on done, although a slow request stored it seconds later',
    history: {
      seed: 60117,
      hasReplica: true,
      paceMs: 30,
      hasForeignClusters: false,
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
];
