import { compileLabelSelector } from '@outrigger/core';
import type { CacheView } from '@outrigger/kube';
import { type ClusterRecord, clusters } from '../resources/clusters.js';
import { type DecisionRecord, decisions, placements } from '../resources/placements.js';
import type { DecisionGroup } from '../rollout/admit.js';
import { type StrategyEntry, defaultEntry } from './entries.js';

/** Why the clusters of an entry cannot be told right now. Unknown is not empty: nothing is removed or moved while it lasts. */
export interface UnknownEntry {
  readonly reason: 'PlacementNotFound' | 'DecisionsIncomplete';
  readonly message: string;
}

/** Why the clusters behind a Placement are not known, or undefined if they are. */
export function unknownPlacement(view: CacheView, placement: string): UnknownEntry | undefined {
  const [namespace = '', name = ''] = placement.split('/');
  const record = view.get(placements, { namespace, name });
  if (!record) {
    return {
      reason: 'PlacementNotFound',
      message: `placement ${placement} does not exist; its clusters keep what they have until it does`,
    };
  }
  const pages = view.byIndex(decisions, 'placement', placement);
  const decided = new Set(pages.flatMap((page) => page.clusters)).size;
  const expected = record.selected ?? 0;
  if (pages.length > 0 && decided >= expected) return undefined;
  const message =
    pages.length === 0
      ? `placement ${placement} has no decision yet`
      : `placement ${placement} selects ${expected} clusters, its decisions name ${decided}`;
  return { reason: 'DecisionsIncomplete', message };
}

/** The decision groups of a Placement in order, each with its clusters in name order. */
export function decisionGroups(view: CacheView, placement: string): readonly DecisionGroup[] {
  const groups = new Map<number, { name: string; clusters: Set<string> }>();
  for (const page of view.byIndex(decisions, 'placement', placement)) addPage(groups, page);
  return [...groups.entries()]
    .sort(([a], [b]) => a - b)
    .map(([index, group]) => ({ index, name: group.name, clusters: [...group.clusters].sort() }));
}

function addPage(groups: Map<number, { name: string; clusters: Set<string> }>, page: DecisionRecord): void {
  const group = groups.get(page.groupIndex) ?? { name: page.groupName, clusters: new Set<string>() };
  for (const cluster of page.clusters) group.clusters.add(cluster);
  groups.set(page.groupIndex, group);
}

/** Where one cluster belongs. */
export interface Membership {
  readonly entry: StrategyEntry;
  /** False while some entry is unknown: the cluster may belong elsewhere, so what it has is kept. */
  readonly isSettled: boolean;
}

/** The entry of one cluster, by index: the last that selects it, else the default one. */
export function membershipOf(view: CacheView, entries: readonly StrategyEntry[], cluster: string): Membership {
  const isSettled = entries.every(
    ({ source }) => !source || !('placement' in source) || unknownPlacement(view, source.placement) === undefined,
  );
  const entry = entries.findLast((candidate) => selects(view, candidate, cluster)) ?? defaultEntry;
  return { entry, isSettled };
}

function selects(view: CacheView, { source }: StrategyEntry, cluster: string): boolean {
  if (!source) return false;
  if ('placement' in source) return view.byIndex(decisions, 'cluster', cluster).some(({ placement }) => placement === source.placement);
  return isSelectedByLabels(view.get(clusters, { name: cluster }), compileLabelSelector(source.labelSelector));
}

/** A label selector takes accepted clusters only; one that is leaving is not taken on any more. */
export function isSelectedByLabels(
  cluster: ClusterRecord | undefined,
  selector: { matches(labels: Readonly<Record<string, string>>): boolean },
): boolean {
  return cluster !== undefined && cluster.isAccepted && !cluster.isDeleting && selector.matches(cluster.labels);
}
