import { shell } from '@outrigger/core';
import { type InstallStrategy, TARGETS_RESOLVED_MESSAGES, rolloutEntryName } from '@outrigger/api';
import { type Link, note, ok, stop, wait } from '../explanation/chain.js';
import { type DecidedClusters, NO_CLUSTERS, decidedClusters, isFirstDecision } from './decided-clusters.js';
import type { EntrySource } from './entry.js';
import type { InstallStrategyRule, Selection, UnknownEntry } from './install-strategy.js';
import type { StrategyLookups } from './lookups.js';

type Source = Extract<EntrySource, { type: 'Placements' }>;

/** Type Placements: one entry per Placement, with the clusters in its PlacementDecisions. */
export const byPlacements: InstallStrategyRule<Source> = {
  entries: ({ placements = [] }) =>
    placements.map((settings, index) => {
      const name = rolloutEntryName(settings);
      return { name, source: { type: 'Placements', placement: name }, path: `/spec/installStrategy/placements/${index}`, settings };
    }),
  selects: ({ placement }, cluster, lookups) => lookups.pagesWith(cluster).some((page) => page.placement === placement),
  unknown: ({ placement }, lookups) => unknownPlacement(placement, lookups),
  clusters({ placement }, lookups) {
    const decided = decidedClusters(lookups.pages(placement)) ?? NO_CLUSTERS;
    const found = lookups.placement(placement);
    return { decided, clustersPerGroup: found ? found.clustersPerGroup : largestGroup(decided) };
  },
  reportedPlacement({ placement }) {
    const [namespace = '', name = ''] = placement.split('/');
    return { namespace, name };
  },
  wakes: ({ placements = [] }) => ({ clusters: true, placements: placements.map(rolloutEntryName) }),
  explain: (strategy, _addOn, { key }, lookups) => explain(strategy, key.name, lookups),
};

/**
 * The size of the largest decision group. The decisions of a deleted Placement exist for a moment after it; their groups then show the size
 * of a group, so that a budget of one group does not become all clusters.
 */
function largestGroup({ groups }: DecidedClusters): number {
  return groups.reduce((largest, { clusters }) => Math.max(largest, clusters.length), 0);
}

function unknownPlacement(placement: string, lookups: StrategyLookups): UnknownEntry | undefined {
  const projection = lookups.placement(placement);
  if (!projection) return { reason: 'PlacementNotFound', message: TARGETS_RESOLVED_MESSAGES.placementNotFound(placement) };
  if (projection.isMisconfigured)
    return { reason: 'DecisionsIncomplete', message: TARGETS_RESOLVED_MESSAGES.placementMisconfigured(placement) };
  const pages = lookups.pages(placement);
  const decided = decidedClusters(pages);
  if (decided && decided.positions.size >= (projection.selected ?? 0) && !isFirstDecision(projection, pages)) return undefined;
  return { reason: 'DecisionsIncomplete', message: TARGETS_RESOLVED_MESSAGES.decisionsIncomplete(placement) };
}

function explain({ placements = [] }: InstallStrategy, cluster: string, lookups: StrategyLookups): Selection {
  if (placements.length === 0)
    return { isSelected: false, links: [stop('strategy Placements names no Placement', 'add one to spec.installStrategy.placements')] };
  const entries = placements.map((entry) => explainPlacement(entry, cluster, lookups));
  const winner = entries.findLast(({ isSelected }) => isSelected);
  if (!winner) return { isSelected: false, links: entries.map(({ link }) => link) };
  const others = entries.filter((entry) => entry.isSelected && entry !== winner);
  const beside = others.map(({ placement }) => note(`Placement ${placement} selects it too; the last entry of the list wins`));
  return { isSelected: true, links: [winner.link, ...beside] };
}

interface PlacementExplanation {
  readonly placement: string;
  readonly isSelected: boolean;
  readonly link: Link;
}

function explainPlacement(
  entry: { readonly namespace: string; readonly name: string },
  cluster: string,
  lookups: StrategyLookups,
): PlacementExplanation {
  const placement = rolloutEntryName(entry);
  const isNot = (link: Link): PlacementExplanation => ({ placement, isSelected: false, link });
  const unknown = unknownPlacement(placement, lookups);
  if (unknown?.reason === 'PlacementNotFound') return isNot(stop(unknown.message, 'create it, or correct spec.installStrategy.placements'));
  if (byPlacements.selects({ type: 'Placements', placement }, cluster, lookups))
    return { placement, isSelected: true, link: ok(`Placement ${placement} selects cluster ${cluster}`) };
  const hint = shell`kubectl describe placement ${entry.name} -n ${entry.namespace}`;
  const pages = lookups.pages(placement);
  const decided = decidedClusters(pages);
  if (!decided || isFirstDecision(lookups.placement(placement) ?? { selected: undefined }, pages))
    return isNot(wait(`Placement ${placement} has no decision yet`, hint));
  return isNot(stop(`Placement ${placement} does not select cluster ${cluster} (it selects ${decided.positions.size})`, hint));
}
