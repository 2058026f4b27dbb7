import { type AddOnRolloutStatus, TARGETS_RESOLVED_MESSAGES } from '@outrigger/api';
import { type LabelSelector, type Selector, compileLabelSelector, errorMessage } from '@outrigger/core';
import type { ClusterRecord } from '../observed/clusters.js';
import { homeOf } from '../observed/rollouts.js';
import type { StrategyLookups } from './lookups.js';
import { decidedClusters } from './decided-clusters.js';
import { type StrategyEntry, defaultEntry } from './entries.js';

/** Why the clusters of an entry are not known at the moment. Unknown is not empty: nothing is removed or moved because of it. */
export interface UnknownEntry {
  readonly reason: 'PlacementNotFound' | 'DecisionsIncomplete';
  readonly message: string;
}

/** Why the clusters of an entry are not known, or undefined if they are. */
export function unknownEntry(lookups: StrategyLookups, { source }: StrategyEntry): UnknownEntry | undefined {
  if (!source) return undefined;
  if ('placement' in source) return unknownPlacement(lookups, source.placement);
  const selector = readSelector(source.labelSelector);
  return typeof selector === 'string'
    ? { reason: 'DecisionsIncomplete', message: `spec.installStrategy.labelSelector: ${selector}` }
    : undefined;
}

function unknownPlacement(lookups: StrategyLookups, placement: string): UnknownEntry | undefined {
  const record = lookups.placement(placement);
  if (!record) return { reason: 'PlacementNotFound', message: TARGETS_RESOLVED_MESSAGES.placementNotFound(placement) };
  if (record.isMisconfigured)
    return { reason: 'DecisionsIncomplete', message: TARGETS_RESOLVED_MESSAGES.placementMisconfigured(placement) };
  const decided = decidedClusters(lookups.pages(placement));
  if (decided && decided.positions.size >= (record.selected ?? 0)) return undefined;
  return { reason: 'DecisionsIncomplete', message: TARGETS_RESOLVED_MESSAGES.decisionsIncomplete(placement) };
}

/** The entry of one cluster. */
export interface Membership {
  readonly entry: StrategyEntry;
  /** False while the cluster may belong to a later, unknown entry: until then it keeps what it has. */
  readonly isSettled: boolean;
  /** The strategy has entries, and none selects this cluster: an add-on that the installer created here will be removed. */
  readonly isUnselected: boolean;
}

/**
 * Returns a test whether an unknown entry may select a cluster: the cluster is one of its last known members, or the record has none
 * (addons.md §2). Other clusters do not wait for the entry.
 */
export function mayTakeTest(record: AddOnRolloutStatus | undefined): (entryName: string, cluster: string) => boolean {
  return (entryName, cluster) => {
    const entry = record?.entries?.find(({ name }) => name === entryName);
    return entry?.members === undefined || (record !== undefined && homeOf(record, cluster) === entry);
  };
}

/** The entry of one cluster, found by indexed lookups: the last entry that selects it, else the default entry. */
export function membershipOf(
  lookups: StrategyLookups,
  entries: readonly StrategyEntry[],
  cluster: string,
  record: AddOnRolloutStatus | undefined,
): Membership {
  const position = entries.findLastIndex((candidate) => selects(lookups, candidate, cluster));
  const mayTake = mayTakeTest(record);
  const isSettled = entries
    .slice(position + 1)
    .every((later) => unknownEntry(lookups, later) === undefined || !mayTake(later.name, cluster));
  return { entry: entries[position] ?? defaultEntry, isSettled, isUnselected: position < 0 && entries.length > 0 };
}

function selects(lookups: StrategyLookups, { source }: StrategyEntry, cluster: string): boolean {
  if (!source) return false;
  if ('placement' in source) return lookups.pagesWith(cluster).some(({ placement }) => placement === source.placement);
  const selector = readSelector(source.labelSelector);
  return typeof selector !== 'string' && isSelectedByLabels(lookups.cluster(cluster), selector);
}

/** A selector, or what is wrong with it: a stored object that admission would have refused must affect only its own add-on. */
export function readSelector(selector: LabelSelector): Selector | string {
  try {
    return compileLabelSelector(selector);
  } catch (error) {
    return errorMessage(error);
  }
}

/** A label selector selects accepted clusters only, and none that is being deleted. */
export function isSelectedByLabels(
  cluster: ClusterRecord | undefined,
  selector: { matches(labels: Readonly<Record<string, string>>): boolean },
): boolean {
  return cluster !== undefined && cluster.isAccepted && !cluster.isDeleting && selector.matches(cluster.labels);
}
