import { encodeFleet } from '@outrigger/console-contract';
import { syntheticFleet } from '@outrigger/console-contract/testing';
import { describe, expect, it } from 'vitest';
import { parseFilter } from '../filter/parse.js';
import { groupingLabels, groupRows, KUBERNETES } from './arrange.js';
import { type Fleet, fleetOf } from './fleet.js';
import { matchFleet } from './match.js';

const made = fleetOf(encodeFleet(syntheticFleet({ clusters: 6, addOns: 2 })));
const fleet: Fleet = {
  ...made,
  clusters: made.clusters.map((cluster, index) => ({
    ...cluster,
    kubernetes: index === 0 ? '' : index < 3 ? 'v1.34.1' : 'v1.35.4',
    labels: { region: index < 3 ? 'eu' : 'us', 'feature.open-cluster-management.io/addon-hello': index < 3 ? 'available' : 'unhealthy' },
  })),
};
const all = matchFleet(fleet, []);
const sizes = (label: string): unknown => groupRows(fleet, all, label).map(({ value, rows }) => [value, rows.length]);

describe('groups', () => {
  it('are offered for labels and Kubernetes versions that differ, not for labels that repeat the columns', () => {
    expect(groupingLabels(fleet)).toEqual(['region', KUBERNETES]);
  });

  it('divide the clusters by a label, or by Kubernetes version', () => {
    expect(sizes('region')).toEqual([
      ['eu', 3],
      ['us', 3],
    ]);
    expect(sizes(KUBERNETES)).toEqual([
      ['v1.34.1', 2],
      ['v1.35.4', 3],
      [undefined, 1],
    ]);
  });

  it.each([
    ['kubernetes:v1.34.1', 2],
    ['kubernetes:<v1.35', 2],
    ['kubernetes:>=v1.34', 5],
    ['kubernetes:v1.3', 0],
  ])('the filter %s leaves %i clusters', (filter, count) => {
    expect(matchFleet(fleet, parseFilter(filter)).rows).toHaveLength(count);
  });
});
