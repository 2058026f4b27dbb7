import { CLUSTER_SET_LABEL } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { isMember } from './cluster-set.js';

describe('members of a cluster set', () => {
  const labels = { [CLUSTER_SET_LABEL]: 'blue', env: 'prod' };
  it.each([
    { name: 'by the label that names it', selector: { selectorType: 'ExclusiveClusterSetLabel' as const }, set: 'blue', want: true },
    { name: 'not by the label of another', selector: { selectorType: 'ExclusiveClusterSetLabel' as const }, set: 'green', want: false },
    { name: 'by the label of the set if no selector type is given', selector: {}, set: 'blue', want: true },
    {
      name: 'by other labels',
      selector: { selectorType: 'LabelSelector' as const, labelSelector: { matchLabels: { env: 'prod' } } },
      set: 'x',
      want: true,
    },
    {
      name: 'all with an empty selector',
      selector: { selectorType: 'LabelSelector' as const, labelSelector: {} },
      set: 'global',
      want: true,
    },
    { name: 'no cluster without a selector', selector: { selectorType: 'LabelSelector' as const }, set: 'blue', want: false },
    {
      name: 'no cluster with an invalid selector',
      selector: { selectorType: 'LabelSelector' as const, labelSelector: { matchLabels: { '!': 'x' } } },
      set: 'blue',
      want: false,
    },
    { name: 'no cluster with an unknown selector type', selector: { selectorType: 'Moon' as never }, set: 'blue', want: false },
  ])('$name', ({ selector, set, want }) => expect(isMember({ name: set, selector }, labels)).toBe(want));
});
