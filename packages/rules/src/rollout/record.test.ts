import { toTime } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { ONE_BY_ONE, observedCluster as observed } from '../../testing/index.js';
import { decideStep } from './decide.js';
import type { ObservedCluster } from './input.js';
import { entryRecord } from './record.js';

const NOW = { wall: 1_000_000, time: toTime(1_000_000) };
const done = (cluster: string): ObservedCluster => observed(cluster, { report: { atTarget: true, isDone: true } });

describe('which revision completed in an entry', () => {
  it.each<{ name: string; clusters: readonly ObservedCluster[]; want: number }>([
    { name: 'no cluster is selected', clusters: [], want: 1 },
    { name: 'no cluster is reachable', clusters: [observed('c1', { isUnreachable: true })], want: 1 },
    { name: 'a cluster waits', clusters: [done('c1'), observed('c2')], want: 1 },
    { name: 'a cluster has the target', clusters: [done('c1')], want: 2 },
    {
      name: 'a cluster has the target, another is not reachable',
      clusters: [done('c1'), observed('c2', { isUnreachable: true })],
      want: 2,
    },
  ])('$name: revision $want', ({ clusters, want }) => {
    const input = {
      strategy: ONE_BY_ONE,
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
