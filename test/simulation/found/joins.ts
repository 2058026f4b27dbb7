import type { Found } from './found.js';

/** Histories in which a cluster that joined once got other content than it should, or no content. */
export const JOINS: readonly Found[] = [
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
];
