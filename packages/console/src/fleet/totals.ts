import { CELL_STATES } from '@outrigger/console-contract';
import { STATE_RANKS } from '../parts/states.js';
import { cellIndex, type Fleet } from './fleet.js';

/** The number of cells in each state, in the order of `CELL_STATES`. */
export type StateCounts = Uint32Array;

/** The counts of one add-on for the given rows. For the whole fleet, returns the stored counts. */
export function columnTotals(fleet: Fleet, rows: Uint32Array, column: number): StateCounts {
  if (rows.length < fleet.clusters.length) return countStates(fleet, rows, [column]);
  return fleet.totals.subarray(column * CELL_STATES.length, (column + 1) * CELL_STATES.length);
}

export function countStates(fleet: Fleet, rows: Uint32Array, columns: readonly number[]): StateCounts {
  const counts = new Uint32Array(CELL_STATES.length);
  for (const row of rows) {
    for (const column of columns) {
      const state = fleet.states[cellIndex(fleet, row, column)] ?? 0;
      counts[state] = (counts[state] ?? 0) + 1;
    }
  }
  return counts;
}

/** Returns the rank of the worst cell in the row; 0 if every cell is healthy or absent. */
export function worstRank(fleet: Fleet, row: number, columns: readonly number[]): number {
  let worst = 0;
  for (const column of columns) worst = Math.max(worst, STATE_RANKS[fleet.states[cellIndex(fleet, row, column)] ?? 0] ?? 0);
  return worst;
}
