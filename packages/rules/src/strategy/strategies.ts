import type { ClusterManagementAddOnSpec, InstallStrategy } from '@outrigger/api';
import { byHand } from './by-hand.js';
import { byLabels } from './by-labels.js';
import { byPlacements } from './by-placements.js';
import type { EntrySource } from './entry.js';
import type { InstallStrategyRule, StrategyType } from './install-strategy.js';

/** The rule of each type of install strategy. */
export type StrategyTable = { readonly [Type in StrategyType]: InstallStrategyRule<Extract<EntrySource, { type: Type }>> };

/** If the API gets a new type, this table does not compile until it has a row for the type. */
const STRATEGIES: StrategyTable = {
  Manual: byHand,
  Placements: byPlacements,
  ClusterLabelSelector: byLabels,
};

/** Returns the rule for a declared strategy, whose type defaults to Manual. A stored type that this code does not know counts as Manual. */
export function strategyOf({ type = 'Manual' }: InstallStrategy): InstallStrategyRule<never> {
  return Object.hasOwn(STRATEGIES, type) ? STRATEGIES[type] : byHand;
}

/**
 * Whether users install the add-on on each cluster themselves. Such a strategy selects no cluster, but it also removes no add-on. A strategy
 * of another type without entries selects no cluster either, and its add-ons are removed.
 */
export function isByHand({ installStrategy = {} }: Pick<ClusterManagementAddOnSpec, 'installStrategy'>): boolean {
  return strategyOf(installStrategy) === byHand;
}

/**
 * Returns the rule that created an entry with this source. The table of strategies guarantees that the rule accepts sources of this type.
 */
export function strategyFor({ type }: EntrySource): InstallStrategyRule<EntrySource> {
  return STRATEGIES[type];
}
