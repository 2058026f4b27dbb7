import type { AddOnRolloutStatus, ClusterManagementAddOnSpec } from '@outrigger/api';
import type { ClusterProjection } from '../observed/clusters.js';
import { homeOf } from '../observed/rollouts.js';
import { NO_CLUSTERS } from './decided-clusters.js';
import { entriesOf } from './entries.js';
import { type StrategyEntry, defaultEntry } from './entry.js';
import type { EntryClusters, UnknownEntry } from './install-strategy.js';
import type { StrategyLookups } from './lookups.js';
import { isByHand, strategyFor } from './strategies.js';

/** Returns the reason why the clusters of an entry are not known, or undefined if they are known. */
export function unknownEntry(lookups: StrategyLookups, { source }: StrategyEntry): UnknownEntry | undefined {
  return source && strategyFor(source).unknown(source, lookups);
}

/** All clusters that an entry selects. */
export function entryClusters(lookups: StrategyLookups, { source }: StrategyEntry): EntryClusters {
  return source ? strategyFor(source).clusters(source, lookups) : { decided: NO_CLUSTERS, clustersPerGroup: undefined };
}

/** The Placement under which `installProgressions` reports the entry, if any. */
export function reportedPlacement({ source }: StrategyEntry): { readonly namespace: string; readonly name: string } | undefined {
  return source && strategyFor(source).reportedPlacement(source);
}

/** The entry of one cluster. */
export interface Membership {
  readonly entry: StrategyEntry;
  /**
   * Whether the cluster certainly belongs to this entry. If it is not certain, the cluster keeps its current content: an unknown entry that
   * comes later may select the cluster, or this entry is unknown and the cluster was a member of another one.
   */
  readonly isSettled: boolean;
  /**
   * Whether the strategy selects clusters, but not this one. An add-on that the installer created on the cluster is then removed. The strategy
   * may have no entries, for example after a user has removed the last one.
   */
  readonly isUnselected: boolean;
}

/**
 * Whether an unknown entry may select a cluster: the cluster is one of its last known members, or the record contains no members
 * (addons.md §2).
 */
export function mayTake(record: AddOnRolloutStatus | undefined, entryName: string, cluster: string): boolean {
  const entry = record?.entries?.find(({ name }) => name === entryName);
  return entry?.members === undefined || (record !== undefined && homeOf(record, cluster) === entry);
}

/**
 * Whether the record lists the cluster in another entry. Such a cluster keeps its content while the clusters of this entry are unknown
 * (addons.md §2).
 */
export function isNewcomer(record: AddOnRolloutStatus | undefined, entryName: string, cluster: string): boolean {
  const home = record && homeOf(record, cluster);
  return home !== undefined && home.name !== entryName;
}

/** The entry of one cluster, found by indexed lookups: the last entry that selects it, else the default entry. */
export function membershipOf(
  lookups: StrategyLookups,
  spec: ClusterManagementAddOnSpec,
  cluster: string,
  record: AddOnRolloutStatus | undefined,
): Membership {
  const entries = entriesOf(spec);
  const position = entries.findLastIndex((candidate) => selects(lookups, candidate, cluster));
  const entry = entries[position] ?? defaultEntry;
  const isSettled =
    entries.slice(position + 1).every((later) => unknownEntry(lookups, later) === undefined || !mayTake(record, later.name, cluster)) &&
    (unknownEntry(lookups, entry) === undefined || !isNewcomer(record, entry.name, cluster));
  return { entry, isSettled, isUnselected: position < 0 && !isByHand(spec) };
}

/**
 * Whether an entry selects the cluster after a change of its ManagedCluster but not before it, or the reverse. Entries that follow a
 * Placement do not depend on the ManagedCluster.
 */
export function isReselected(
  lookups: StrategyLookups,
  entries: readonly StrategyEntry[],
  cluster: string,
  { before, after }: { readonly before: ClusterProjection | undefined; readonly after: ClusterProjection | undefined },
): boolean {
  const [then, now] = [before, after].map((projection) => ({ ...lookups, cluster: () => projection }));
  return entries.some((entry) => then && now && selects(then, entry, cluster) !== selects(now, entry, cluster));
}

function selects(lookups: StrategyLookups, { source }: StrategyEntry, cluster: string): boolean {
  return source !== undefined && strategyFor(source).selects(source, cluster, lookups);
}
