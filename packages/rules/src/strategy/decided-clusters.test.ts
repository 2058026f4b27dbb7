import { describe, expect, it } from 'vitest';
import type { PlacementDecisionProjection } from '../observed/placements.js';
import { decidedClusters, labelledClusters } from './decided-clusters.js';

const page = (groupIndex: number, ...clusters: string[]): PlacementDecisionProjection => ({
  key: { namespace: 'default', name: `page-${groupIndex}-${clusters.join('-')}` },
  uid: '',
  resourceVersion: '1',
  placement: 'default/all',
  groupIndex,
  groupName: `g${groupIndex}`,
  clusters,
});

const namesIn = (pages: readonly PlacementDecisionProjection[]): readonly string[] => [...(decidedClusters(pages)?.positions.keys() ?? [])];

describe('the clusters of all pages of a Placement', () => {
  it('are undefined without a page, and none if the pages are empty', () => {
    expect(decidedClusters([])).toBeUndefined();
    expect(decidedClusters([page(0)])?.positions.size).toBe(0);
  });
  it('is by group in index order, even if indexes are missing, and by name within a group', () => {
    const decided = decidedClusters([page(7, 'z', 'a'), page(0, 'c'), page(7, 'b')]);
    expect(decided?.groups).toEqual([
      { index: 0, name: 'g0', clusters: ['c'] },
      { index: 7, name: 'g7', clusters: ['a', 'b', 'z'] },
    ]);
    expect([...(decided?.positions ?? [])]).toEqual([
      ['c', 0],
      ['a', 1],
      ['b', 2],
      ['z', 3],
    ]);
  });
  it('counts a cluster once that two pages name while they are rewritten', () => {
    const decided = decidedClusters([page(0, 'a', 'b'), page(1, 'b')]);
    expect(decided?.groups).toMatchObject([{ clusters: ['a', 'b'] }, { clusters: [] }]);
    expect(decided?.positions.size).toBe(2);
  });
  it('counts such a cluster in the first group, in whatever order the cache returns the pages', () => {
    const pages = [page(0, 'c'), page(1, 'b'), page(2, 'c', 'd')];
    const groups = [{ clusters: ['c'] }, { clusters: ['b'] }, { clusters: ['d'] }];
    for (const order of [pages, pages.toReversed(), [...pages.slice(1), ...pages.slice(0, 1)]])
      expect(decidedClusters(order)?.groups).toMatchObject(groups);
  });
  it('is computed once for the same pages, and again for others', () => {
    const pages = [page(0, 'a'), page(1, 'b')];
    expect(decidedClusters(pages)).toBe(decidedClusters([...pages]));
    expect(namesIn([pages[0] as PlacementDecisionProjection, page(1, 'c')])).toEqual(['a', 'c']);
    expect(namesIn([pages[0] as PlacementDecisionProjection])).toEqual(['a']);
  });
  it('is computed again if a later page changes in the list that the cache keeps', () => {
    const pages = [page(0, 'a'), page(1, 'b')];
    expect(namesIn(pages)).toEqual(['a', 'b']);
    pages[1] = page(1, 'c');
    expect(namesIn(pages)).toEqual(['a', 'c']);
  });
});

describe('the clusters of a label selector', () => {
  const selector = { matchLabels: { cloud: 'aws' } };
  it('is one group in name order, computed once for the same names', () => {
    const decided = labelledClusters(selector, ['b', 'a']);
    expect(decided.groups).toEqual([{ index: 0, name: '', clusters: ['a', 'b'] }]);
    expect(labelledClusters(selector, ['b', 'a'])).toBe(decided);
    expect([...labelledClusters(selector, ['b', 'c']).positions.keys()]).toEqual(['b', 'c']);
  });
});
