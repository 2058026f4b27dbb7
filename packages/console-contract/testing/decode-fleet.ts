import { CELL_STATES, CLUSTER_STATES, type CellColumns, type FleetCell, type FleetDelta, type FleetSnapshot } from '../src/fleet.js';
import type { FleetTable, FleetTableRow } from '../src/fleet-table.js';

/**
 * Decodes a snapshot as the contract defines it. The app has another decoder, which decodes into columns; the tests of the app compare the
 * results of both.
 */
export function decodeFleet(snapshot: FleetSnapshot): FleetTable {
  const { epoch, sequence, at, isTruncated, addOns, clusters, cells, strings, labelSets } = snapshot;
  const text = (index: number | undefined): string => strings[index ?? 0] ?? '';
  const rows = clusters.name.map((name, at_): [string, FleetTableRow] => [
    name,
    {
      row: {
        state: CLUSTER_STATES[clusters.state[at_] ?? 0] ?? 'unreported',
        labels: labelSets[clusters.labels[at_] ?? 0] ?? {},
        kubernetes: text(clusters.kubernetes[at_]),
      },
      cells: new Map(addOns.flatMap(({ name: addOn }, column) => cellAt(cells[column], at_, addOn, text))),
    },
  ]);
  return { epoch, sequence, at, isTruncated, addOns, rows: new Map(rows) };
}

function cellAt(
  columns: CellColumns | undefined,
  at: number,
  addOn: string,
  text: (index: number | undefined) => string,
): [string, FleetCell][] {
  const state = CELL_STATES[columns?.state[at] ?? 0] ?? 'absent';
  if (state === 'absent' || columns === undefined) return [];
  return [[addOn, { state, version: text(columns.version[at]), target: text(columns.target[at]), reason: text(columns.reason[at]) }]];
}

/** Returns the fleet after the delta, or undefined if the delta does not apply to the fleet, so that a snapshot is needed. */
export function applyFleetDelta(table: FleetTable, delta: FleetDelta): FleetTable | undefined {
  if (delta.from > table.sequence) return undefined;
  const addOns = delta.addOns ?? table.addOns;
  const names = new Set(addOns.map(({ name }) => name));
  const rows = new Map(table.rows);
  for (const name of delta.removed) rows.delete(name);
  if (delta.addOns !== undefined) {
    for (const [name, { row, cells }] of rows) rows.set(name, { row, cells: new Map([...cells].filter(([addOn]) => names.has(addOn))) });
  }
  for (const { cluster, row, cells } of delta.rows) {
    const before = rows.get(cluster);
    const after = new Map(before?.cells);
    for (const [addOn, cell] of Object.entries(cells)) {
      if (cell.state === 'absent' || !names.has(addOn)) after.delete(addOn);
      else after.set(addOn, cell);
    }
    const header = row ?? before?.row;
    if (header !== undefined) rows.set(cluster, { row: header, cells: after });
  }
  return { ...table, sequence: delta.sequence, addOns, rows };
}
