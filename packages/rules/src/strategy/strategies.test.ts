import { describe, expect, it } from 'vitest';
import { byHand } from './by-hand.js';
import { byLabels } from './by-labels.js';
import { byPlacements } from './by-placements.js';
import { type StrategyTable, strategyFor, strategyOf } from './strategies.js';

/** Follows the recipe for a new type of install strategy in CONTRIBUTING.md. An unused `@ts-expect-error` is a compile error. */
describe('the table of install strategies', () => {
  it('does not compile without a row for each type', () => {
    // @ts-expect-error the row of ClusterLabelSelector is missing
    const incomplete: StrategyTable = { Manual: byHand, Placements: byPlacements };
    expect(Object.keys(incomplete)).toEqual(['Manual', 'Placements']);
  });

  it('does not compile if a row has the rule of another type', () => {
    // @ts-expect-error the rule of Placements does not accept the source of a label selector
    const swapped: StrategyTable = { Manual: byHand, Placements: byPlacements, ClusterLabelSelector: byPlacements };
    expect(Object.keys(swapped)).toHaveLength(3);
  });

  it('has the rule of each type, and treats an unknown type as Manual', () => {
    expect(strategyOf({ type: 'Placements' })).toBe(byPlacements);
    expect(strategyOf({ type: 'ClusterLabelSelector' })).toBe(byLabels);
    expect(strategyOf({})).toBe(byHand);
    expect(strategyOf({ type: 'Later' as 'Manual' })).toBe(byHand);
    expect(strategyFor({ type: 'ClusterLabelSelector', labelSelector: {} })).toBe(byLabels);
  });
});
