import { describe, expect, it } from 'vitest';
import type { DecisionRecord } from '../resources/placements.js';
import { decidedClusters } from './decided-clusters.js';

const page = (groupIndex: number, ...clusters: string[]): DecisionRecord => ({
  key: { namespace: 'default', name: `page-${groupIndex}-${clusters.join('-')}` },
  uid: '',
  resourceVersion: '1',
  placement: 'default/all',
  groupIndex,
  groupName: `g${groupIndex}`,
  clusters,
});

describe('what the pages of a Placement say together', () => {
  it('is nothing where there is no page, and nobody where they are empty', () => {
    expect(decidedClusters([])).toBeUndefined();
    expect(decidedClusters([page(0)])).toMatchObject({ count: 0 });
  });
  it('is by group in index order, holes and all, each in name order', () => {
    const decided = decidedClusters([page(7, 'z', 'a'), page(0, 'c'), page(7, 'b')]);
    expect(decided).toEqual({
      count: 4,
      groups: [
        { index: 0, name: 'g0', clusters: ['c'] },
        { index: 7, name: 'g7', clusters: ['a', 'b', 'z'] },
      ],
    });
  });
  it('counts a cluster once that two pages name while they are rewritten', () => {
    expect(decidedClusters([page(0, 'a', 'b'), page(1, 'b')])).toMatchObject({
      count: 2,
      groups: [{ clusters: ['a', 'b'] }, { clusters: [] }],
    });
  });
  it('is worked out once for the same pages, and anew for others', () => {
    const pages = [page(0, 'a'), page(1, 'b')];
    expect(decidedClusters(pages)).toBe(decidedClusters([...pages]));
    expect(decidedClusters([pages[0] as DecisionRecord, page(1, 'c')])?.count).toBe(2);
    expect(decidedClusters([pages[0] as DecisionRecord])?.count).toBe(1);
  });
});
