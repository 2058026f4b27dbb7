import { toTime } from '@outrigger/core';
import type { FleetAddOn, FleetCell, FleetDelta, FleetRow, FleetRowDelta, FleetTable, FleetTableRow } from '@outrigger/console-contract';
import type { Change } from '../state/change-log.js';
import type { FleetState } from '../state/state.js';
import { cellOf, cellOfAddOn, rowOf } from './cells.js';
import type { Sight } from './sight.js';

export interface Moment {
  readonly epoch: string;
  readonly sequence: number;
  /** The time in milliseconds since the epoch. */
  readonly now: number;
}

/** The part of the fleet that one user may see. */
export function fleetTable(state: FleetState, sight: Sight, { epoch, sequence, now }: Moment): FleetTable {
  const rows = new Map<string, FleetTableRow>();
  for (const name of visibleClusters(state, sight))
    rows.set(name, { row: visibleRow(state, sight, name), cells: visibleCells(state, sight, name) });
  return {
    epoch,
    sequence,
    at: toTime(now),
    isTruncated: sight.isTruncated,
    addOns: visibleAddOns(state, sight),
    rows,
  };
}

/** The clusters that the user may see: those whose ManagedCluster or add-ons the user may read. */
export function visibleClusters(state: FleetState, sight: Sight): readonly string[] {
  const names = new Set<string>();
  for (const name of state.clusters.keys()) if (isVisibleCluster(state, sight, name)) names.add(name);
  for (const name of state.addOns.keys()) if (sight.seesAddOns(name)) names.add(name);
  return [...names];
}

export function isVisibleCluster(state: FleetState, sight: Sight, name: string): boolean {
  if (state.clusters.has(name)) return sight.seesCluster(name) || sight.seesAddOns(name);
  return state.addOns.has(name) && sight.seesAddOns(name);
}

function visibleRow(state: FleetState, sight: Sight, name: string): FleetRow {
  return rowOf(sight.seesCluster(name) ? state.clusters.get(name) : undefined);
}

function visibleCells(state: FleetState, sight: Sight, cluster: string): ReadonlyMap<string, FleetCell> {
  const here = state.addOns.get(cluster);
  if (here === undefined || !sight.seesAddOns(cluster)) return new Map();
  return new Map([...here].map(([addOn, reported]) => [addOn, cellOfAddOn(state, reported, cluster, addOn)]));
}

/** The add-ons that the user may see: those whose declaration the user may read, and those on a cluster whose add-ons the user may read. */
export function visibleAddOns(state: FleetState, sight: Sight): readonly FleetAddOn[] {
  const names = new Set<string>(sight.seesDeclarations ? state.declarations.keys() : []);
  for (const [cluster, here] of state.addOns) if (sight.seesAddOns(cluster)) for (const name of here.keys()) names.add(name);
  return [...names].sort().map((name) => fleetAddOn(state, sight, name));
}

export function fleetAddOn(state: FleetState, sight: Sight, name: string): FleetAddOn {
  const managementAddOn = sight.seesDeclarations ? state.declarations.get(name) : undefined;
  const rollout = sight.seesRollouts ? state.rollouts.get(name) : undefined;
  const pinned = rollout?.spec?.pinnedRevision;
  const first = rollout?.status?.entries?.[0];
  const target = rollout?.status?.history?.find(({ revision }) => revision === first?.targetRevision)?.version;
  return {
    name,
    displayName: managementAddOn?.spec.addOnMeta?.displayName ?? '',
    rollout: rollout?.status?.state ?? 'None',
    target: target ?? managementAddOn?.status?.defaultVersion ?? '',
    isPaused: rollout?.spec?.paused === true,
    ...(pinned === undefined ? {} : { pinnedRevision: pinned }),
  };
}

/**
 * Returns the delta that leads from the fleet at the sequence `from` to the current fleet. `changes` are the logged changes after `from`.
 * The delta contains the current values of all objects that `changes` names, even of objects whose values are the same as before.
 */
export function fleetDelta(state: FleetState, sight: Sight, from: number, sequence: number, changes: readonly Change[]): FleetDelta {
  const rows = new Set<string>();
  const cells = new Map<string, Set<string>>();
  const addOns = new Set<string>();
  for (const { cluster, addOn } of changes) {
    if (cluster !== undefined && addOn !== undefined) cells.set(cluster, (cells.get(cluster) ?? new Set()).add(addOn));
    else if (cluster !== undefined) rows.add(cluster);
    if (addOn !== undefined) addOns.add(addOn);
  }
  const names = new Set([...rows, ...cells.keys()]);
  const removed: string[] = [];
  const changed: FleetRowDelta[] = [];
  for (const cluster of names) {
    if (!isVisibleCluster(state, sight, cluster)) {
      removed.push(cluster);
      continue;
    }
    const touched = rows.has(cluster)
      ? new Set([...(state.addOns.get(cluster)?.keys() ?? []), ...(cells.get(cluster) ?? [])])
      : cells.get(cluster);
    const visible = sight.seesAddOns(cluster) ? [...(touched ?? [])] : [];
    changed.push({
      cluster,
      ...(rows.has(cluster) || !state.clusters.has(cluster) ? { row: visibleRow(state, sight, cluster) } : {}),
      cells: Object.fromEntries(visible.map((addOn) => [addOn, cellOf(state, cluster, addOn)])),
    });
  }
  return {
    from,
    sequence,
    ...(addOns.size > 0 ? { addOns: visibleAddOns(state, sight) } : {}),
    // Name a removed cluster only if the user may see its name.
    removed: removed.filter((name) => sight.seesCluster(name) || sight.seesAddOns(name)),
    rows: changed,
  };
}
