import type { Found } from './found.js';

/** Histories that once caused too many writes, or deleted content too early or too late. */
export const WRITES: readonly Found[] = [
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
    title: 'an installation on a cluster where a user has made the same object costs one more write',
    history: {
      seed: 287,
      hasReplica: false,
      paceMs: 30,
      hasOtherManager: false,
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
    title: 'a cluster whose entry changes between the decision to install and the creation may need more writes',
    history: {
      seed: 500160,
      hasReplica: false,
      paceMs: 100,
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
        {
          afterMs: 60000,
          step: {
            do: 'declare',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: { type: 'Progressive', maxConcurrency: 3, maxFailures: 0, progressDeadline: '60s', minSuccessTime: '0s' },
              hasCanary: true,
              defaultVersion: 'v2',
              canaryVersion: 'v1',
            },
          },
        },
        { afterMs: 0, step: { do: 'label', cluster: 'c2', fleet: true, canary: true } },
        { afterMs: 30000, step: { do: 'confirm', addOn: 'alpha', off: 0 } },
      ],
    },
  },
  {
    title: 'an add-on whose declaration is deleted before the hub makes it the owner goes with the declaration',
    history: {
      seed: 502538,
      hasReplica: false,
      paceMs: 3,
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
              rollout: { type: 'Progressive', maxConcurrency: 3, maxFailures: 0, progressDeadline: '60s', minSuccessTime: '0s' },
              hasCanary: false,
              defaultVersion: 'v1',
            },
          },
        },
        { afterMs: 60000, step: { do: 'label', cluster: 'c2', fleet: false, canary: false } },
        { afterMs: 60000, step: { do: 'slow requests', forMs: 10000 } },
        { afterMs: 900, step: { do: 'install by hand', addOn: 'beta', cluster: 'c2' } },
        { afterMs: 1100, step: { do: 'delete declaration', addOn: 'beta' } },
      ],
    },
  },
  {
    title:
      'a strategy, labels and decisions change at once: the removal delay starts with the first end of the selection that the hub sees',
    history: {
      seed: 701170,
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
              rollout: { type: 'Progressive', maxConcurrency: 3, maxFailures: '50%', progressDeadline: 'None', minSuccessTime: '0s' },
              hasCanary: false,
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
              type: 'ClusterLabelSelector',
              rollout: {
                type: 'ProgressivePerGroup',
                maxConcurrency: 1,
                maxFailures: '50%',
                progressDeadline: '15s',
                minSuccessTime: '0s',
              },
              hasCanary: false,
              version: 'v1',
              canaryVersion: 'v2',
              defaultVersion: 'v2',
            },
          },
        },
        { afterMs: 62500, step: { do: 'edit template', addOn: 'beta', version: 'v1', content: 'good-2' } },
        {
          afterMs: 5000,
          step: {
            do: 'policy',
            policy: 'guard',
            shape: {
              addOns: ['beta'],
              operations: ['Upgrade', 'Install'],
              analysis: { count: 1, intervalSeconds: 5, initialDelaySeconds: 0, failureLimit: 0 },
              onFailure: { action: 'RollBack', maxConcurrency: 2 },
            },
          },
        },
        { afterMs: 12000, step: { do: 'uninstall by hand', addOn: 'beta', cluster: 'c3' } },
        {
          afterMs: 13100,
          step: {
            do: 'edit everything',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: { type: 'Progressive', maxConcurrency: '50%', maxFailures: 0, progressDeadline: 'None', minSuccessTime: '5s' },
              hasCanary: true,
              canaryVersion: 'v2',
              defaultVersion: 'v2',
            },
            version: 'v1',
            content: 'good-3',
            clusters: ['c1'],
          },
        },
      ],
    },
  },
  {
    title: 'a confirmed removal goes on if one of its clusters is detached',
    history: {
      seed: 160,
      hasReplica: false,
      paceMs: 3,
      hasOtherManager: false,
      hasRealAgents: false,
      steps: [
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'beta',
            strategy: {
              type: 'ClusterLabelSelector',
              rollout: { type: 'All', maxConcurrency: 1, maxFailures: 9, progressDeadline: 'None', minSuccessTime: '0s' },
              hasCanary: false,
              defaultVersion: 'v1',
            },
          },
        },
        {
          afterMs: 8000,
          step: {
            do: 'edit everything',
            addOn: 'alpha',
            strategy: {
              type: 'ClusterLabelSelector',
              rollout: { type: 'ProgressivePerGroup', maxConcurrency: 1, maxFailures: 0, progressDeadline: '60s', minSuccessTime: '5s' },
              hasCanary: false,
              defaultVersion: 'v1',
            },
            version: 'v2',
            content: 'good-1',
            clusters: ['c4'],
          },
        },
        { afterMs: 900, step: { do: 'confirm', addOn: 'beta', off: 0 } },
        { afterMs: 900, step: { do: 'detach', cluster: 'c3', isForced: false } },
      ],
    },
  },
  {
    title: 'an add-on that is created by a declaration of a moment ago may cost a further write',
    history: {
      seed: 8002905,
      hasReplica: false,
      paceMs: 100,
      hasOtherManager: false,
      hasRealAgents: true,
      hasRegistration: true,
      steps: [
        {
          afterMs: 0,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'All', maxConcurrency: 2, maxFailures: 9, progressDeadline: '60s', minSuccessTime: '5s' },
              hasCanary: true,
              version: 'v2',
              canaryVersion: 'v1',
              defaultVersion: 'v1',
            },
          },
        },
        {
          afterMs: 3,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'ClusterLabelSelector',
              rollout: { type: 'All', maxConcurrency: 3, maxFailures: '50%', progressDeadline: 'None', minSuccessTime: '0s' },
              hasCanary: false,
              defaultVersion: 'v2',
            },
          },
        },
      ],
    },
  },
];
