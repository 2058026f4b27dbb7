import type { History } from '@outrigger/simulator';
import type { Found } from './found.js';

/** A policy appears `afterMs` after the strategy has changed to All, so the record admits every cluster and states no gates. */
const policyAfterUngatedRecord = (afterMs: number): History => ({
  seed: 9102231,
  hasReplica: true,
  paceMs: 30,
  hasOtherManager: false,
  hasRealAgents: true,
  steps: [
    { afterMs: 40900, step: { do: 'detach', cluster: 'c2', isForced: true } },
    { afterMs: 12000, step: { do: 'join', cluster: 'c2', fleet: false, canary: false } },
    {
      afterMs: 14010,
      step: {
        do: 'edit everything',
        addOn: 'alpha',
        strategy: {
          type: 'Placements',
          rollout: { type: 'All', maxConcurrency: '50%', maxFailures: 9, progressDeadline: '15s', minSuccessTime: '0s' },
          hasCanary: false,
          defaultVersion: 'v2',
        },
        version: 'v1',
        content: 'good-2',
        clusters: ['c1', 'c2', 'c3', 'c4'],
      },
    },
    {
      afterMs,
      step: {
        do: 'policy',
        policy: 'calendar',
        shape: {
          addOns: ['alpha', 'beta'],
          freeze: { afterMs: 0, forMs: 20000 },
          operations: ['Upgrade'],
          approval: { place: 'before Group', required: 1 },
          analysis: { count: 2, intervalSeconds: 5, initialDelaySeconds: 0, failureLimit: 0 },
          onFailure: { action: 'Halt', maxConcurrency: 1 },
        },
      },
    },
    {
      afterMs: 1100,
      step: {
        do: 'policy',
        policy: 'guard',
        shape: { addOns: ['alpha', 'beta'], operations: ['Upgrade'], approval: { place: 'after Group', required: 2, waitSeconds: 5 } },
      },
    },
  ],
});

/** Histories under a RolloutPolicy in which the hub once violated a rule about gates. */
export const GATES: readonly Found[] = [
  {
    title: 'an analysis rejects content that one entry has completed and another entry has not',
    history: {
      seed: 117,
      hasReplica: false,
      paceMs: 100,
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
    title: 'a gate that was removed while it held clusters holds a cluster that comes before it opens',
    history: {
      seed: 1202,
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
    title: 'a cluster that joins under a gate is not admitted beside clusters that use up the budget',
    history: {
      seed: 30167,
      hasReplica: true,
      paceMs: 30,
      hasOtherManager: false,
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
    title: 'a gate of a deleted policy holds a cluster that the record does not list, although the entry has a wildcard admission',
    history: {
      seed: 260,
      hasReplica: false,
      paceMs: 100,
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
              rollout: { type: 'Progressive', maxConcurrency: 3, maxFailures: 0, progressDeadline: '60s', minSuccessTime: '0s' },
              hasCanary: false,
              defaultVersion: 'v2',
            },
          },
        },
        { afterMs: 40000, step: { do: 'cluster away', cluster: 'c2', forMs: 30000 } },
        { afterMs: 900, step: { do: 'detach', cluster: 'c2', isForced: true } },
        { afterMs: 12000, step: { do: 'join', cluster: 'c2', fleet: false, canary: false } },
        {
          afterMs: 12000,
          step: {
            do: 'declare',
            addOn: 'alpha',
            strategy: {
              type: 'Manual',
              rollout: { type: 'All', maxConcurrency: 3, maxFailures: 9, progressDeadline: '60s', minSuccessTime: '0s' },
              hasCanary: false,
              version: 'v2',
              defaultVersion: 'v1',
            },
          },
        },
        {
          afterMs: 2500,
          step: {
            do: 'policy',
            policy: 'guard',
            shape: {
              addOns: ['beta'],
              operations: ['Remove'],
              analysis: { count: 1, intervalSeconds: 5, initialDelaySeconds: 0, failureLimit: 0 },
              onFailure: { action: 'RollBack', maxConcurrency: 1 },
            },
          },
        },
        {
          afterMs: 1100,
          step: {
            do: 'policy',
            policy: 'calendar',
            shape: {
              addOns: ['alpha'],
              freeze: { afterMs: 5000, forMs: 20000 },
              operations: ['Remove'],
              approval: { place: 'before Rollout', required: 1, waitSeconds: 5 },
              onFailure: { action: 'RollBack' },
            },
          },
        },
        {
          afterMs: 2900,
          step: {
            do: 'edit everything',
            addOn: 'alpha',
            strategy: {
              type: 'Placements',
              rollout: { type: 'All', maxConcurrency: '50%', maxFailures: '50%', progressDeadline: '15s', minSuccessTime: '0s' },
              hasCanary: true,
              defaultVersion: 'v1',
            },
            version: 'v2',
            content: 'good-3',
            clusters: ['c1', 'c2', 'c3', 'c4'],
          },
        },
        { afterMs: 2500, step: { do: 'delete policy', policy: 'calendar' } },
        { afterMs: 2050, step: { do: 'pin entry', addOn: 'alpha', isCanary: false, back: 1 } },
        {
          afterMs: 3660,
          step: {
            do: 'edit everything',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: { type: 'Progressive', maxConcurrency: 2, maxFailures: 0, progressDeadline: '15s', minSuccessTime: '5s' },
              hasCanary: true,
              defaultVersion: 'v1',
            },
            version: 'v1',
            content: 'slow-1',
            clusters: ['c2', 'c3', 'c4'],
          },
        },
        {
          afterMs: 3610,
          step: {
            do: 'edit everything',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: 0, progressDeadline: 'None', minSuccessTime: '5s' },
              hasCanary: true,
              canaryVersion: 'v2',
              defaultVersion: 'v1',
            },
            version: 'v1',
            content: 'good-2',
            clusters: ['c1', 'c2', 'c3', 'c4'],
          },
        },
        { afterMs: 0, step: { do: 'label', cluster: 'c3', fleet: true, canary: true } },
        { afterMs: 2500, step: { do: 'pause', addOn: 'beta', paused: false } },
      ],
    },
  },
  {
    title: 'a group whose only cluster is being deleted and has no add-on needs no analysis',
    history: {
      seed: 700537,
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
              type: 'ClusterLabelSelector',
              rollout: { type: 'Progressive', maxConcurrency: 3, maxFailures: 0, progressDeadline: '15s', minSuccessTime: '5s' },
              hasCanary: false,
              version: 'v2',
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
              type: 'Manual',
              rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: 9, progressDeadline: '15s', minSuccessTime: '0s' },
              hasCanary: false,
              version: 'v1',
              canaryVersion: 'v1',
              defaultVersion: 'v2',
            },
          },
        },
        { afterMs: 77900, step: { do: 'decide', addOn: 'alpha', gate: 'guard/approval', decision: 'Retried', by: 'ben' } },
        { afterMs: 3, step: { do: 'pin', addOn: 'alpha', back: 1 } },
        {
          afterMs: 61143,
          step: {
            do: 'policy',
            policy: 'calendar',
            shape: {
              addOns: ['beta'],
              freeze: { afterMs: 5000, forMs: 90000 },
              hours: { afterMs: 5000, forMs: 90000 },
              operations: ['Upgrade'],
              analysis: { count: 2, intervalSeconds: 5, initialDelaySeconds: 0, failureLimit: 0 },
              onFailure: { action: 'Halt' },
            },
          },
        },
        {
          afterMs: 950,
          step: {
            do: 'declare',
            addOn: 'beta',
            strategy: {
              type: 'Placements',
              rollout: { type: 'ProgressivePerGroup', maxConcurrency: 2, maxFailures: 0, progressDeadline: '15s', minSuccessTime: '0s' },
              hasCanary: false,
              version: 'v1',
              defaultVersion: 'v2',
            },
          },
        },
        { afterMs: 0, step: { do: 'label', cluster: 'c3', fleet: true, canary: true } },
        { afterMs: 10, step: { do: 'detach', cluster: 'c1', isForced: false } },
        { afterMs: 1140, step: { do: 'label', cluster: 'c3', fleet: true, canary: false } },
      ],
    },
  },
  {
    title:
      'a cluster joined in the second between two writes of the record, and a policy that the hub had read did not hold it because the recorded wildcard admission stated no gates',
    history: policyAfterUngatedRecord(40),
  },
  {
    title:
      'the model took a cluster for newly admitted that the wildcard admission of a record without gates had covered before the policy existed',
    history: policyAfterUngatedRecord(90),
  },
  {
    title: 'a freeze holds a cluster whose first installation gets another target before its revision is written',
    history: {
      seed: 8009584,
      hasReplica: false,
      paceMs: 30,
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
              rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: 0, progressDeadline: '15s', minSuccessTime: '5s' },
              hasCanary: false,
              version: 'v1',
              canaryVersion: 'v2',
              defaultVersion: 'v2',
            },
          },
        },
        { afterMs: 4320, step: { do: 'slow requests', forMs: 10000 } },
        { afterMs: 3, step: { do: 'decide', addOn: 'beta', gate: 'calendar/approval', decision: 'Approved', by: 'ben' } },
        { afterMs: 3, step: { do: 'crash', writes: 1, downMs: 1 } },
        { afterMs: 0, step: { do: 'decide', addOn: 'beta', gate: 'guard/approval', decision: 'Approved', by: 'ben' } },
        { afterMs: 2540, step: { do: 'decide', addOn: 'beta', gate: 'guard/approval', decision: 'Approved', by: 'ben' } },
        { afterMs: 980, step: { do: 'edit template', addOn: 'beta', version: 'v1', content: 'good-3' } },
        {
          afterMs: 10,
          step: {
            do: 'policy',
            policy: 'calendar',
            shape: {
              addOns: ['beta'],
              freeze: { afterMs: 0, forMs: 90000 },
              hours: { afterMs: 0, forMs: 90000 },
              operations: ['Upgrade'],
              approval: { place: 'after Group', required: 1, waitSeconds: 30 },
              analysis: { count: 2, intervalSeconds: 5, initialDelaySeconds: 3, failureLimit: 0 },
              onFailure: { action: 'RollBack' },
            },
          },
        },
        { afterMs: 2900, step: { do: 'lag', process: 0, resource: 'works', ms: 8000, forMs: 30000 } },
      ],
    },
  },
];
