import type { AddOnProjection } from '../observed/add-ons.js';
import type { ClusterProjection } from '../observed/clusters.js';
import type { DeclarationProjection } from '../observed/declarations.js';
import type { RolloutProjection } from '../observed/rollouts.js';
import type { StrategyEntry } from './entry.js';
import type { EntryClusters, UnknownEntry } from './install-strategy.js';
import type { StrategyLookups } from './lookups.js';
import { isByHand } from './strategies.js';
import { entryClusters, isNewcomer, mayTake, unknownEntry } from './membership.js';

/** An entry of the strategy with the clusters that it selects. */
export interface EntryObservation extends EntryClusters {
  readonly entry: StrategyEntry;
  readonly unknown: UnknownEntry | undefined;
}

export function observeEntry(lookups: StrategyLookups, entry: StrategyEntry): EntryObservation {
  return { entry, unknown: unknownEntry(lookups, entry), ...entryClusters(lookups, entry) };
}

/** The objects that determine the members of each entry. */
export interface MemberState {
  readonly managementAddOn: DeclarationProjection;
  readonly rollout: RolloutProjection | undefined;
  /** All ManagedClusterAddOns of this declaration. */
  readonly addOns: readonly AddOnProjection[];
  /** The entries; the default entry comes first. */
  readonly entries: readonly EntryObservation[];
  readonly cluster: (name: string) => ClusterProjection | undefined;
}

/**
 * The clusters of a decision group that belong to its entry, in name order. Two parallel arrays are used instead of one object per cluster,
 * because every pass visits all clusters and usually changes none.
 */
export interface MemberGroup {
  readonly index: number;
  readonly name: string;
  readonly clusters: readonly string[];
  /** The add-on of each cluster; undefined if the add-on does not exist yet or is being deleted. */
  readonly addOns: readonly (AddOnProjection | undefined)[];
}

/** The clusters of one entry, without those that a later entry selects. */
export interface EntryMembers {
  readonly observation: EntryObservation;
  readonly groups: readonly MemberGroup[];
  readonly count: number;
  /**
   * Whether a cluster certainly belongs to this entry: no unknown entry that comes later may select the cluster and, if this entry is
   * unknown, the record does not list the cluster in another entry.
   */
  readonly isSettled: (cluster: string) => boolean;
}

/** All clusters by entry, and the add-ons to be removed. */
export interface Fleet {
  readonly entries: readonly EntryMembers[];
  /**
   * Add-ons that the installer created on clusters that the strategy no longer selects. They stay unchanged until the installer removes
   * them.
   */
  readonly leaving: readonly AddOnProjection[];
}

/**
 * Assigns every cluster to the last entry that selects it. Add-ons on clusters that no entry selects are either to be removed or belong to
 * the default entry, which comes first.
 */
export function membersOf(state: MemberState): Fleet {
  const { byEntry, unselected } = handOut(state);
  const { kept, leaving } = sortOut(state, unselected);
  const entries = state.entries.map((observation, i): EntryMembers => {
    if (observation.entry.source) return chosenMembers(state, i, byEntry[i] ?? []);
    // The default entry selects no clusters. Its members are one group, in any order, because all of them change at once.
    const group = { index: 0, name: '', clusters: kept.map(({ key }) => key.namespace ?? ''), addOns: kept };
    return { observation, groups: [group], count: kept.length, isSettled: settledTest(state, i) };
  });
  return { entries, leaving };
}

/** Returns `EntryMembers.isSettled` for the entry at this position. */
function settledTest({ entries, rollout }: MemberState, position: number): (cluster: string) => boolean {
  const unknown = entries.slice(position + 1).filter((later) => later.unknown !== undefined);
  const own = entries[position];
  const unknownOwn = own?.unknown === undefined ? undefined : own.entry.name;
  if (unknown.length === 0 && unknownOwn === undefined) return () => true;
  const record = rollout?.status;
  return (cluster) =>
    !unknown.some(({ entry }) => mayTake(record, entry.name, cluster)) &&
    (unknownOwn === undefined || !isNewcomer(record, unknownOwn, cluster));
}

type Places = readonly (AddOnProjection | undefined)[][];

/** Assigns every add-on to the position of its cluster in the last entry that selects the cluster. */
function handOut({ entries, addOns }: MemberState): { readonly byEntry: Places; readonly unselected: readonly AddOnProjection[] } {
  const byEntry: Places = entries.map(({ decided }) => Array<AddOnProjection | undefined>(decided.positions.size).fill(undefined));
  const unselected: AddOnProjection[] = [];
  for (const clusterAddOn of addOns)
    if (!clusterAddOn.isDeleting && !isHandedOut(clusterAddOn, entries, byEntry)) unselected.push(clusterAddOn);
  return { byEntry, unselected };
}

function isHandedOut(clusterAddOn: AddOnProjection, entries: readonly EntryObservation[], byEntry: Places): boolean {
  const cluster = clusterAddOn.key.namespace ?? '';
  for (let entry = entries.length - 1; entry >= 0; entry--) {
    const position = entries[entry]?.decided.positions.get(cluster);
    if (position === undefined) continue;
    (byEntry[entry] as (AddOnProjection | undefined)[])[position] = clusterAddOn;
    return true;
  }
  return false;
}

/** Returns the clusters that an entry selects and no later entry does. `installed` contains their add-ons by position. */
function chosenMembers(state: MemberState, entry: number, installed: readonly (AddOnProjection | undefined)[]): EntryMembers {
  const observation = state.entries[entry] as EntryObservation;
  const later = state.entries.slice(entry + 1);
  // Leave out clusters on which the add-on will never be installed, because they must not delay the rollout.
  const isToBeInstalled = (cluster: string): boolean =>
    !later.some(({ decided }) => decided.positions.has(cluster)) && installBlocker(state.cluster(cluster)) === undefined;
  let from = 0;
  let count = 0;
  const groups = observation.decided.groups.map(({ index, name, clusters }) => {
    const addOns = installed.slice(from, from + clusters.length);
    from += clusters.length;
    const present = presentIn(clusters, addOns, isToBeInstalled);
    count += present.clusters.length;
    return { index, name, ...present };
  });
  return { observation, groups, count, isSettled: settledTest(state, entry) };
}

/** The clusters that have the add-on or will get it; usually all clusters of the group. */
function presentIn(
  clusters: readonly string[],
  addOns: readonly (AddOnProjection | undefined)[],
  isToBeInstalled: (cluster: string) => boolean,
): Pick<MemberGroup, 'clusters' | 'addOns'> {
  const isPresent = (clusterAddOn: AddOnProjection | undefined, i: number): boolean =>
    clusterAddOn !== undefined || isToBeInstalled(clusters[i] as string);
  if (addOns.every(isPresent)) return { clusters, addOns };
  return { clusters: clusters.filter((_, i) => isPresent(addOns[i], i)), addOns: addOns.filter(isPresent) };
}

/** Splits the add-ons that no entry selects. If there is a strategy, those that the installer created are removed. All others are kept. */
function sortOut(
  { managementAddOn }: MemberState,
  unselected: readonly AddOnProjection[],
): { kept: readonly AddOnProjection[]; leaving: readonly AddOnProjection[] } {
  const isManual = isByHand(managementAddOn.spec);
  const isLeaving = ({ installedSpec }: AddOnProjection): boolean => !isManual && installedSpec !== undefined;
  const byCluster = (a: AddOnProjection, b: AddOnProjection): number => ((a.key.namespace ?? '') < (b.key.namespace ?? '') ? -1 : 1);
  return { kept: unselected.filter((clusterAddOn) => !isLeaving(clusterAddOn)), leaving: unselected.filter(isLeaving).sort(byCluster) };
}

/** Returns why no add-on is created on a selected cluster, or undefined if one is created. */
export function installBlocker(cluster: ClusterProjection | undefined): string | undefined {
  if (!cluster) return 'the ManagedCluster does not exist';
  if (cluster.isDeleting) return 'the ManagedCluster is being deleted';
  return cluster.isInstallDisabled ? 'automatic installation is disabled on the ManagedCluster' : undefined;
}
