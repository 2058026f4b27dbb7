import { toTime } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { decideStep } from './decide.js';
import type { ObservedCluster } from './input.js';
import { entryRecord } from './record.js';

const NOW = { wall: 1_000_000, time: toTime(1_000_000) };

function observed(cluster: string, rest: Partial<ObservedCluster> & { readonly isDone?: boolean } = {}): ObservedCluster {
  const { isDone = false, ...fields } = rest;
  return {
    cluster,
    targetRevision: 2,
    mayMove: true,
    report: { isFresh: false, atTarget: isDone, isDone, isAvailable: true, isHealthSilent: false, hasFailed: false },
    isUnreachable: false,
    admission: undefined,
    isElsewhere: false,
    isReturning: false,
    isNew: false,
    soakingSince: 0,
    doneSince: 0,
    movingSince: NOW.wall,
    unreachableSince: 0,
    hasMissedWildcard: false,
    ...fields,
  };
}

describe('which revision completed in an entry', () => {
  it.each<{ name: string; clusters: readonly ObservedCluster[]; want: number }>([
    { name: 'no cluster is selected', clusters: [], want: 1 },
    { name: 'no cluster is reachable', clusters: [observed('c1', { isUnreachable: true })], want: 1 },
    { name: 'a cluster waits', clusters: [observed('c1', { isDone: true }), observed('c2')], want: 1 },
    { name: 'a cluster has the target', clusters: [observed('c1', { isDone: true })], want: 2 },
    {
      name: 'a cluster has the target, another is not reachable',
      clusters: [observed('c1', { isDone: true }), observed('c2', { isUnreachable: true })],
      want: 2,
    },
  ])('$name: revision $want', ({ clusters, want }) => {
    const input = {
      strategy: {
        type: 'Progressive' as const,
        minSuccessMs: 0,
        progressDeadlineMs: undefined,
        maxFailures: { count: 0 },
        maxConcurrency: { count: 1 },
        mandatoryGroups: [],
      },
      groups: [{ index: 0, name: '', clusters }],
      wildcard: undefined,
      hasCompleted: false,
      clustersPerGroup: 1,
      isPaused: true,
      keepsFailed: false,
    };
    const record = entryRecord({
      name: 'default/all',
      targets: { problem: undefined } as never,
      target: { revision: 2 } as never,
      before: { name: 'default/all', targetRevision: 2, completedRevision: 1 },
      decision: decideStep(input, NOW),
      elsewhere: [],
      closed: undefined,
      cause: () => ({}),
      rejected: [],
      failedSince: undefined,
      now: NOW,
    });
    expect(record.completedRevision).toBe(want);
  });
});
