import type { AddOnRecord } from '../../resources/add-ons.js';
import type { ClusterRecord } from '../../resources/clusters.js';
import type { EntryObservation, FleetState } from './state.js';

/** A cluster as a member of its entry. */
export interface Member {
  readonly cluster: string;
  /** Undefined until it is created, and while it is being deleted. */
  readonly addOn: AddOnRecord | undefined;
  /** False while an entry that would win over this one is unknown: the cluster may belong there. */
  readonly isSettled: boolean;
}

/** The clusters of one entry, those a later entry has taken left out. */
export interface EntryMembers {
  readonly observation: EntryObservation;
  readonly members: ReadonlyMap<string, Member>;
}

/** Gives every cluster to the last entry that selects it, and what nobody selects to the default entry, which comes first. */
export function membersOf(state: FleetState): readonly EntryMembers[] {
  const { entries } = state;
  const lastUnknown = entries.findLastIndex(({ unknown }) => unknown !== undefined);
  const owner = new Map<string, number>();
  entries.forEach(({ groups }, position) => {
    for (const { clusters } of groups) for (const cluster of clusters) owner.set(cluster, position);
  });
  const installed = new Map<string, AddOnRecord>();
  for (const addOn of state.addOns) if (!addOn.isDeleting) installed.set(addOn.key.namespace ?? '', addOn);
  const members = entries.map(() => new Map<string, Member>());
  for (const [cluster, position] of owner) {
    const addOn = installed.get(cluster);
    // What will never get an add-on holds up nobody's rollout.
    if (!addOn && installBlocker(state.cluster(cluster)) !== undefined) continue;
    members[position]?.set(cluster, { cluster, addOn, isSettled: position >= lastUnknown });
  }
  return entries.map((observation, position) => ({ observation, members: members[position] ?? new Map<string, Member>() }));
}

/** Why nothing is created on a selected cluster, or undefined if it is. */
export function installBlocker(cluster: ClusterRecord | undefined): string | undefined {
  if (!cluster) return 'the ManagedCluster does not exist';
  if (cluster.isDeleting) return 'the ManagedCluster is being deleted';
  return cluster.isInstallDisabled ? 'automatic installation is disabled on the ManagedCluster' : undefined;
}
