import { CLUSTER_SET_LABEL } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { isMember } from './cluster-set.js';

describe('members of a cluster set', () => {
  const labels = { [CLUSTER_SET_LABEL]: 'blue', env: 'prod' };
  it.each([
    { name: 'by the label that names it', selector: { selectorType: 'ExclusiveClusterSetLabel' as const }, set: 'blue', want: true },
    { name: 'not by the label of another', selector: { selectorType: 'ExclusiveClusterSetLabel' as const }, set: 'green', want: false },
    { name: 'by that label unless said otherwise', selector: {}, set: 'blue', want: true },
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
    { name: 'none without a selector', selector: { selectorType: 'LabelSelector' as const }, set: 'blue', want: false },
    {
      name: 'none with one nobody can read',
      selector: { selectorType: 'LabelSelector' as const, labelSelector: { matchLabels: { '!': 'x' } } },
      set: 'blue',
      want: false,
    },
    { name: 'none with a type nobody knows', selector: { selectorType: 'Moon' as never }, set: 'blue', want: false },
  ])('$name', ({ selector, set, want }) => expect(isMember({ name: set, selector }, labels)).toBe(want));
});
