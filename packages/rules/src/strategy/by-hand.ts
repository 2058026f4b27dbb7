import { shell } from '@outrigger/core';
import { note } from '../explanation/chain.js';
import { NO_CLUSTERS } from './decided-clusters.js';
import type { InstallStrategyRule } from './install-strategy.js';

/** Type Manual: users install the add-on on each cluster themselves, so the strategy has no entries. */
export const byHand: InstallStrategyRule<never> = {
  entries: () => [],
  selects: () => false,
  unknown: () => undefined,
  clusters: () => ({ decided: NO_CLUSTERS, clustersPerGroup: undefined }),
  reportedPlacement: () => undefined,
  wakes: () => ({ clusters: false, placements: [] }),
  explain: (_strategy, addOn, { key }) => ({
    isSelected: false,
    links: [note('strategy Manual: people install it cluster by cluster', shell`outrigger enable ${addOn} --cluster ${key.name}`)],
  }),
};
