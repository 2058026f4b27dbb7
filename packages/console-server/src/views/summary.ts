import type { CellState, Summary } from '@outrigger/console-contract';
import type { FleetState } from '../state/state.js';
import { attentionOf } from './attention.js';
import { cellOfAddOn, clusterState } from './cells.js';
import { count, noCells, noClusters } from './counts.js';
import { failureGroups } from './failures.js';
import { visibleAddOns, visibleClusters } from './fleet.js';
import type { Sight } from './sight.js';
import { isFleetPaused } from './standings.js';

/** The counts of the fleet, then the problems that need user action. */
export function summaryOf(state: FleetState, sight: Sight, now: number): Summary {
  const clusters = noClusters();
  const cells = noCells();
  const perAddOn = new Map<string, { readonly cells: Record<CellState, number>; readonly versions: Map<string, number> }>();
  for (const name of visibleClusters(state, sight)) {
    clusters[clusterState(sight.seesCluster(name) ? state.clusters.get(name) : undefined)]++;
    if (!sight.seesAddOns(name)) continue;
    for (const [addOn, reported] of state.addOns.get(name) ?? []) {
      const cell = cellOfAddOn(state, reported, name, addOn);
      const one = perAddOn.get(addOn) ?? { cells: noCells(), versions: new Map<string, number>() };
      cells[cell.state]++;
      one.cells[cell.state]++;
      count(one.versions, cell.version);
      perAddOn.set(addOn, one);
    }
  }
  return {
    clusters,
    cells,
    addOns: visibleAddOns(state, sight).map((addOn) => {
      const one = perAddOn.get(addOn.name);
      const versions = [...(one?.versions ?? [])].sort(([, a], [, b]) => b - a);
      return { ...addOn, cells: one?.cells ?? noCells(), versions: versions.map(([version, number]) => ({ version, count: number })) };
    }),
    isFleetPaused: sight.seesRollouts && isFleetPaused(state),
    attention: attentionOf(state, sight, now),
    failures: failureGroups(state, sight),
  };
}
