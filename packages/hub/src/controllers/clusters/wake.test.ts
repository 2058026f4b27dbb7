import type { CacheView } from '@outrigger/kube';
import { describe, expect, it } from 'vitest';
import { type ClusterLeaseProjection, clusterLeases } from '../../resources/cluster-leases.js';
import { type LifecycleProjection, clusterLifecycles } from '../../resources/cluster-lifecycle.js';
import type { RoleProjection } from '../../resources/cluster-rights.js';
import { AVAILABLE, CLUSTER, NOW, cluster as managedCluster, condition, lease } from './fixtures.js';
import { wakeByLease, wakeByRight, wakeByWork } from './wake.js';
import { clusterNamespaces } from '../../resources/cluster-rights.js';
import type { ClusterLeftoverProjection } from '../../resources/cluster-leftovers.js';

const cluster = (name: string, accepts: boolean, isDeleting: boolean): LifecycleProjection =>
  ({ key: { name }, accepts, isDeleting }) as unknown as LifecycleProjection;
const viewOf = (...lifecycles: readonly LifecycleProjection[]): CacheView => ({ list: () => lifecycles }) as unknown as CacheView;
const role = (of: string): RoleProjection => ({ cluster: of }) as unknown as RoleProjection;
const woken = (of: string, view: CacheView): readonly string[] =>
  wakeByRight({ before: role(of), after: undefined }, view).map(({ name }) => name);

describe('the clusters that the removal of a right wakes', () => {
  const [staying, leaving, denied] = [cluster('staying', true, false), cluster('leaving', true, true), cluster('denied', false, false)];
  it.each([
    { name: 'a right of one cluster wakes that cluster', of: 'c1', view: viewOf(staying), want: ['c1'] },
    { name: 'a shared right wakes one accepted cluster, which restores it', of: '', view: viewOf(leaving, staying), want: ['staying'] },
    {
      name: 'a shared right wakes the last cluster, which waits for its removal',
      of: '',
      view: viewOf(denied, leaving),
      want: ['leaving'],
    },
    { name: 'a shared right of a hub without clusters wakes none', of: '', view: viewOf(denied), want: [] },
  ])('$name', ({ of, view, want }) => expect(woken(of, view)).toEqual(want));
});

describe('the clusters that a work wakes', () => {
  const work = { key: { namespace: 'c1', name: 'w' } } as unknown as ClusterLeftoverProjection;
  const viewWith = (found: LifecycleProjection | undefined, isTerminating: boolean): CacheView =>
    ({
      get: (resource: unknown) => (resource === clusterNamespaces ? { isDeleting: isTerminating } : found),
    }) as unknown as CacheView;
  it.each([
    { name: 'an accepted cluster', found: cluster('c1', true, false), isTerminating: false, want: [] },
    {
      name: 'an accepted cluster in a namespace that is being deleted',
      found: cluster('c1', true, false),
      isTerminating: true,
      want: ['c1'],
    },
    { name: 'a cluster that is being deleted', found: cluster('c1', true, true), isTerminating: false, want: ['c1'] },
    { name: 'a denied cluster', found: cluster('c1', false, false), isTerminating: false, want: ['c1'] },
    { name: 'no cluster', found: undefined, isTerminating: false, want: ['c1'] },
  ])('$name', ({ found, isTerminating, want }) =>
    expect(wakeByWork({ before: work, after: undefined }, viewWith(found, isTerminating)).map(({ name }) => name)).toEqual(want),
  );
});

describe('the clusters that a Lease wakes', () => {
  const intern = <T>(value: T): T => value;
  const renewed = (...times: Parameters<typeof lease>): ClusterLeaseProjection => clusterLeases.project(lease(...times), intern);
  const available = [AVAILABLE];
  const MINUTE = 60_000;
  const cases: readonly {
    readonly name: string;
    readonly conditions?: readonly (typeof AVAILABLE)[];
    readonly before: ClusterLeaseProjection | undefined;
    readonly after: ClusterLeaseProjection | undefined;
    readonly want: readonly string[];
  }[] = [
    { name: 'a renewal by an agent that is well wakes none', before: renewed(NOW), after: renewed(NOW + MINUTE), want: [] },
    { name: 'a new Lease', before: undefined, after: renewed(NOW), want: [CLUSTER] },
    { name: 'a deleted Lease', before: renewed(NOW), after: undefined, want: [CLUSTER] },
    { name: 'the first renewal', before: renewed(undefined), after: renewed(NOW), want: [CLUSTER] },
    { name: 'a Lease without a time', before: renewed(NOW), after: renewed(undefined), want: [CLUSTER] },
    {
      name: 'a renewal that expires earlier, because a clock was set back',
      before: renewed(NOW),
      after: renewed(NOW - 1),
      want: [CLUSTER],
    },
    {
      name: 'a renewal by an agent whose clock has gone wrong',
      before: renewed(NOW),
      after: renewed(NOW + 10 * MINUTE, NOW + MINUTE),
      want: [CLUSTER],
    },
    {
      name: 'a renewal of a cluster that is not available',
      conditions: [condition('ManagedClusterConditionAvailable', 'Unknown')],
      before: renewed(NOW),
      after: renewed(NOW + MINUTE),
      want: [CLUSTER],
    },
    {
      name: 'a renewal of a cluster whose agent has reported nothing',
      conditions: [],
      before: renewed(NOW),
      after: renewed(NOW + MINUTE),
      want: [CLUSTER],
    },
  ];
  it.each(cases)('$name', ({ conditions = available, before, after, want }) => {
    const lifecycle = clusterLifecycles.project(managedCluster({ conditions }), intern);
    const view = { get: () => lifecycle } as unknown as CacheView;
    expect(wakeByLease({ before, after }, view).map(({ name }) => name)).toEqual(want);
  });

  it('a renewal for a cluster that does not exist wakes it, because the Lease may be left over', () => {
    const view = { get: () => undefined } as unknown as CacheView;
    expect(wakeByLease({ before: renewed(NOW), after: renewed(NOW + MINUTE) }, view)).toEqual([{ name: CLUSTER }]);
  });
});
