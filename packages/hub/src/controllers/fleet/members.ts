import type { AddOnRecord } from '../../resources/add-ons.js';
import type { ClusterRecord } from '../../resources/clusters.js';
import type { EntryObservation, FleetState } from './state.js';

/** A cluster as a member of its entry. */
export interface Member {
  readonly cluster: string;
  /** Undefined until it is created, and while it is being deleted. */
  readonly addOn: AddOnRecord | undefined;
  /** Undefined where there is no such ManagedCluster. */
  readonly record: ClusterRecord | undefined;
  /** False while an entry that would win over this one is unknown: the cluster may belong there. */
  readonly isSettled: boolean;
}

/** The clusters of one entry, those a later entry has taken left out. */
export interface EntryMembers {
  readonly observation: EntryObservation;
  readonly members: ReadonlyMap<string, Member>;
}

/** Every cluster in its place. */
export interface Fleet {
  readonly entries: readonly EntryMembers[];
  /** What the installer made on clusters that a strategy no longer selects. It stays as it is until it is removed. */
  readonly leaving: readonly AddOnRecord[];
}

/** Gives every cluster to the last entry that selects it, and what nobody selects to the default entry, which comes first. */
export function membersOf(state: FleetState): Fleet {
  const { entries } = state;
  const lastUnknown = entries.findLastIndex(({ unknown }) => unknown !== undefined);
  // Whoever is still in here at the end belongs to nobody.
  const installed = new Map<string, AddOnRecord>();
  for (const addOn of state.addOns) if (!addOn.isDeleting) installed.set(addOn.key.namespace ?? '', addOn);
  const members = entries.map(() => new Map<string, Member>());
  const taken = new Set<string>();
  for (let position = entries.length - 1; position > 0; position--) {
    const own = members[position] as Map<string, Member>;
    for (const { clusters } of entries[position]?.groups ?? []) {
      for (const cluster of clusters) {
        if (taken.has(cluster)) continue;
        taken.add(cluster);
        const addOn = installed.get(cluster);
        installed.delete(cluster);
        const record = state.cluster(cluster);
        // What will never get an add-on holds up nobody's rollout.
        if (addOn || installBlocker(record) === undefined) own.set(cluster, { cluster, addOn, record, isSettled: position >= lastUnknown });
      }
    }
  }
  const leaving: AddOnRecord[] = [];
  const isManual = (state.declaration.spec.installStrategy?.type ?? 'Manual') === 'Manual';
  for (const [cluster, addOn] of [...installed].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!isManual && addOn.installedSpec !== undefined) leaving.push(addOn);
    else members[0]?.set(cluster, { cluster, addOn, record: state.cluster(cluster), isSettled: lastUnknown < 0 });
  }
  return {
    entries: entries.map((observation, position) => withGroups(observation, members[position] ?? new Map<string, Member>(), position)),
    leaving,
  };
}

/** The default entry has no choice of its own: whoever belongs to it is its one group. */
function withGroups(observation: EntryObservation, members: ReadonlyMap<string, Member>, position: number): EntryMembers {
  if (position > 0) return { observation, members };
  return { observation: { ...observation, groups: [{ index: 0, name: '', clusters: [...members.keys()] }] }, members };
}

/** Why nothing is created on a selected cluster, or undefined if it is. */
export function installBlocker(cluster: ClusterRecord | undefined): string | undefined {
  if (!cluster) return 'the ManagedCluster does not exist';
  if (cluster.isDeleting) return 'the ManagedCluster is being deleted';
  return cluster.isInstallDisabled ? 'automatic installation is disabled on the ManagedCluster' : undefined;
}
