import type { History } from '@outrigger/simulator';

/** A minimized history that once violated an invariant. */
export interface Found {
  /** A title that says what went wrong, and why. */
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
];
