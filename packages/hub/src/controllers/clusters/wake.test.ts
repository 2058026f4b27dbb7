import type { CacheView } from '@outrigger/kube';
import { describe, expect, it } from 'vitest';
import type { ClusterLifecycleRecord } from '../../resources/cluster-lifecycle.js';
import type { RoleRecord } from '../../resources/cluster-rights.js';
import { wakeByRight } from './wake.js';

const cluster = (name: string, accepts: boolean, isDeleting: boolean): ClusterLifecycleRecord =>
  ({ key: { name }, accepts, isDeleting }) as unknown as ClusterLifecycleRecord;
const viewOf = (...records: readonly ClusterLifecycleRecord[]): CacheView => ({ list: () => records }) as unknown as CacheView;
const role = (of: string): RoleRecord => ({ cluster: of }) as unknown as RoleRecord;
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
