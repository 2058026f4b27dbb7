import type { ManagedClusterAddOn } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import type { Cell, TableColumn } from '../terminal/table.js';

/** The progress of one cluster while the fleet starts. */
export interface ClusterProgress {
  readonly cluster: string;
  /** The state of each add-on, by its name. */
  readonly states: ReadonlyMap<string, AddOnState>;
}

export interface AddOnState {
  readonly text: string;
  readonly isReady: boolean;
}

const WAITING: AddOnState = { text: 'waiting', isReady: false };

/** Returns the state of an add-on in one word. */
export function addOnState(clusterAddOn: ManagedClusterAddOn | undefined): AddOnState {
  if (!clusterAddOn) return WAITING;
  const conditions = clusterAddOn.status?.conditions;
  const progressing = findCondition(conditions, 'Progressing');
  if (progressing?.reason === 'Failed') return { text: 'failed', isReady: false };
  const isAvailable = findCondition(conditions, 'Available')?.status === 'True';
  const version = clusterAddOn.status?.currentVersion ?? '';
  if (isAvailable && progressing?.reason === 'Succeed') return { text: version === '' ? 'available' : version, isReady: true };
  // The works are applied, but the add-on is not yet reported as available.
  if (progressing?.reason === 'Succeed') return { text: 'starting', isReady: false };
  return progressing ? { text: progressing.reason.toLowerCase(), isReady: false } : WAITING;
}

export function progressOf(
  clusters: readonly string[],
  addOns: readonly string[],
  installed: readonly ManagedClusterAddOn[],
): readonly ClusterProgress[] {
  const byKey = new Map(
    installed.map((clusterAddOn) => [`${clusterAddOn.metadata.namespace}/${clusterAddOn.metadata.name}`, clusterAddOn]),
  );
  return clusters.map((cluster) => ({
    cluster,
    states: new Map(addOns.map((name) => [name, addOnState(byKey.get(`${cluster}/${name}`))])),
  }));
}

export function isReady(progress: readonly ClusterProgress[]): boolean {
  return progress.every(({ states }) => [...states.values()].every((state) => state.isReady));
}

export function progressColumns(addOns: readonly string[]): readonly TableColumn<ClusterProgress>[] {
  return [
    { title: 'CLUSTER', cell: ({ cluster }) => cluster },
    ...addOns.map((addOn) => ({ title: addOn.toUpperCase(), cell: ({ states }: ClusterProgress): Cell => stateCell(states.get(addOn)) })),
  ];
}

/**
 * Returns, for each add-on, the number of clusters on which the add-on is ready. The screen shows this text instead of a table if there is
 * no terminal or the fleet has too many clusters.
 */
export function progressSummary(addOns: readonly string[], progress: readonly ClusterProgress[]): string {
  return addOns
    .map((addOn) => {
      const ready = progress.filter(({ states }) => states.get(addOn)?.isReady).length;
      return `${addOn} ${ready}/${progress.length}`;
    })
    .join(', ');
}

function stateCell(state: AddOnState = WAITING): Cell {
  if (state.isReady) return { text: `${state.text} available`.replace('available available', 'available'), as: 'good' };
  return state.text === 'failed' ? { text: state.text, as: 'bad' } : { text: state.text, as: 'dim' };
}
