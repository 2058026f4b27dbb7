import type { InstallStrategy } from '@outrigger/api';
import { byHand } from './by-hand.js';
import { byLabels } from './by-labels.js';
import { byPlacements } from './by-placements.js';
import type { EntrySource } from './entry.js';
import type { InstallStrategyRule, StrategyType } from './install-strategy.js';

/** The rule of each type of install strategy. A new type in the API does not compile without a row here. */
const STRATEGIES: { readonly [Type in StrategyType]: InstallStrategyRule<Extract<EntrySource, { type: Type }>> } = {
  Manual: byHand,
  Placements: byPlacements,
  ClusterLabelSelector: byLabels,
};

/** The rule of a declared strategy; its type defaults to Manual. A stored type that this code does not know is treated as Manual. */
export function strategyOf({ type = 'Manual' }: InstallStrategy): InstallStrategyRule<never> {
  return Object.hasOwn(STRATEGIES, type) ? STRATEGIES[type] : byHand;
}

/** The rule that created an entry with this source. The table of strategies guarantees that the rule accepts sources of this type. */
export function strategyFor({ type }: EntrySource): InstallStrategyRule<EntrySource> {
  return STRATEGIES[type];
}
