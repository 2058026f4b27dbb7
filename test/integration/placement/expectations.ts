import { expect } from 'vitest';
import { type Choice, clusterName } from './scenario.js';

const range = (from: number, to: number): readonly string[] => Array.from({ length: to - from }, (_, index) => clusterName(from + index));
const page = (number: number, clusters: readonly string[]): Choice['pages'][number] => ({
  name: `p-decision-${number}`,
  group: '0',
  clusters,
});
const conditions = { PlacementMisconfigured: 'False Succeedconfigured', PlacementSatisfied: 'True AllDecisionsScheduled' };

/** Checks the results of `placementStory`, on any server. */
export function expectPlacementStory([all, moved, misread, two, repaired, replaced]: readonly Choice[]): void {
  expect(all).toEqual({ pages: [page(1, range(0, 100)), page(2, range(100, 200)), page(3, range(200, 205))], selected: 205, conditions });
  expect(moved).toEqual({
    pages: [page(1, ['a', ...range(0, 99)]), page(2, range(99, 199)), page(3, range(199, 205))],
    selected: 206,
    conditions,
  });
  expect(misread).toEqual({ ...moved, conditions: { ...conditions, PlacementMisconfigured: 'True Misconfigured' } });
  expect(two).toEqual({ pages: [page(1, ['a', 'c000'])], selected: 2, conditions });
  expect(repaired).toEqual(two);
  expect(replaced).toEqual({ pages: [page(1, ['c000', 'c001'])], selected: 2, conditions });
}
