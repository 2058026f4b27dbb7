import type { AddOnRecord } from '../../resources/add-ons.js';
import type { ClusterRecord } from '../../resources/clusters.js';
import { mayTakeTest } from '../../strategy/membership.js';
import type { EntryObservation, FleetState } from './state.js';

/**
 * The clusters of a decision group that belong to its entry, in name order. Two columns instead of an object per cluster: a pass goes
 * through all of them, and mostly finds nothing to do.
 */
export interface MemberGroup {
  readonly index: number;
  readonly name: string;
  readonly clusters: readonly string[];
  /** Of each of the clusters; undefined until it is created, and while it is being deleted. */
  readonly addOns: readonly (AddOnRecord | undefined)[];
}

/** The clusters of one entry, those a later entry has taken left out. */
export interface EntryMembers {
  readonly observation: EntryObservation;
  readonly groups: readonly MemberGroup[];
  readonly count: number;
  /** False while a cluster may belong to an unknown entry that would win over this one. */
  readonly isSettled: (cluster: string) => boolean;
}

/** Every cluster in its place. */
export interface Fleet {
  readonly entries: readonly EntryMembers[];
  /** What the installer made on clusters that a strategy no longer selects. It stays as it is until it is removed. */
  readonly leaving: readonly AddOnRecord[];
}

/** Gives every cluster to the last entry that selects it, and what nobody selects to the default entry, which comes first. */
export function membersOf(state: FleetState): Fleet {
  const { byEntry, unselected } = handOut(state);
  const { kept, leaving } = sortOut(state, unselected);
  const entries = state.entries.map((observation, i): EntryMembers => {
    if (observation.entry.source) return chosenMembers(state, i, byEntry[i] ?? []);
    // The default entry has no choice of its own: whoever belongs to it is its one group, in any order since all go at once.
    const group = { index: 0, name: '', clusters: kept.map(({ key }) => key.namespace ?? ''), addOns: kept };
    return { observation, groups: [group], count: kept.length, isSettled: settledTest(state, i) };
  });
  return { entries, leaving };
}

/** Only clusters that may belong to a later, unknown entry wait for it. */
function settledTest({ entries, rollout }: FleetState, position: number): (cluster: string) => boolean {
  const unknown = entries.slice(position + 1).filter((later) => later.unknown !== undefined);
  if (unknown.length === 0) return () => true;
  const mayTake = mayTakeTest(rollout?.status);
  return (cluster) => !unknown.some(({ entry }) => mayTake(entry.name, cluster));
}

type Places = readonly (AddOnRecord | undefined)[][];

/** Every add-on in the place its entry has for its cluster. */
function handOut({ entries, addOns }: FleetState): { readonly byEntry: Places; readonly unselected: readonly AddOnRecord[] } {
  const byEntry: Places = entries.map(({ decided }) => Array<AddOnRecord | undefined>(decided.positions.size).fill(undefined));
  const unselected: AddOnRecord[] = [];
  for (const addOn of addOns) if (!addOn.isDeleting && !isHandedOut(addOn, entries, byEntry)) unselected.push(addOn);
  return { byEntry, unselected };
}

function isHandedOut(addOn: AddOnRecord, entries: readonly EntryObservation[], byEntry: Places): boolean {
  const cluster = addOn.key.namespace ?? '';
  for (let entry = entries.length - 1; entry >= 0; entry--) {
    const position = entries[entry]?.decided.positions.get(cluster);
    if (position === undefined) continue;
    (byEntry[entry] as (AddOnRecord | undefined)[])[position] = addOn;
    return true;
  }
  return false;
}

/** Whom an entry selects and no later one does; `installed` are their add-ons by position. */
function chosenMembers(state: FleetState, entry: number, installed: readonly (AddOnRecord | undefined)[]): EntryMembers {
  const observation = state.entries[entry] as EntryObservation;
  const later = state.entries.slice(entry + 1);
  // What will never get an add-on holds up nobody's rollout.
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

/** Those who have the add-on or are to get it; mostly that is everybody. */
function presentIn(
  clusters: readonly string[],
  addOns: readonly (AddOnRecord | undefined)[],
  isToBeInstalled: (cluster: string) => boolean,
): Pick<MemberGroup, 'clusters' | 'addOns'> {
  const isPresent = (addOn: AddOnRecord | undefined, i: number): boolean => addOn !== undefined || isToBeInstalled(clusters[i] as string);
  if (addOns.every(isPresent)) return { clusters, addOns };
  return { clusters: clusters.filter((_, i) => isPresent(addOns[i], i)), addOns: addOns.filter(isPresent) };
}

/** What the installer made goes with the strategy's choice; what people made stays, and so does everything without a strategy. */
function sortOut(
  { declaration }: FleetState,
  unselected: readonly AddOnRecord[],
): { kept: readonly AddOnRecord[]; leaving: readonly AddOnRecord[] } {
  const isManual = (declaration.spec.installStrategy?.type ?? 'Manual') === 'Manual';
  const isLeaving = ({ installedSpec }: AddOnRecord): boolean => !isManual && installedSpec !== undefined;
  const byCluster = (a: AddOnRecord, b: AddOnRecord): number => ((a.key.namespace ?? '') < (b.key.namespace ?? '') ? -1 : 1);
  return { kept: unselected.filter((addOn) => !isLeaving(addOn)), leaving: unselected.filter(isLeaving).sort(byCluster) };
}

/** Why nothing is created on a selected cluster, or undefined if it is. */
export function installBlocker(cluster: ClusterRecord | undefined): string | undefined {
  if (!cluster) return 'the ManagedCluster does not exist';
  if (cluster.isDeleting) return 'the ManagedCluster is being deleted';
  return cluster.isInstallDisabled ? 'automatic installation is disabled on the ManagedCluster' : undefined;
}
