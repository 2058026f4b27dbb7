import {
  ABSENT_CELL,
  CELL_STATES,
  CLUSTER_STATES,
  type CellColumns,
  type FleetAddOn,
  type FleetCell,
  type FleetDelta,
  type FleetRow,
  type FleetSnapshot,
} from './fleet.js';

/** A decoded snapshot of the fleet, keyed by name. Absent cells are not in the map. */
export interface FleetTable {
  readonly epoch: string;
  readonly sequence: number;
  readonly at: string;
  readonly isTruncated: boolean;
  readonly addOns: readonly FleetAddOn[];
  readonly rows: ReadonlyMap<string, FleetTableRow>;
}

export interface FleetTableRow {
  readonly row: FleetRow;
  readonly cells: ReadonlyMap<string, FleetCell>;
}

/** Assigns a number to each distinct text. */
class Numbers<Value> {
  readonly values: Value[] = [];
  readonly #known = new Map<string, number>();

  of(content: string, value: Value): number {
    const known = this.#known.get(content);
    if (known !== undefined) return known;
    this.#known.set(content, this.values.length);
    return this.values.push(value) - 1;
  }
}

export function encodeFleet({ epoch, sequence, at, isTruncated, addOns, rows }: FleetTable): FleetSnapshot {
  const strings = new Numbers<string>();
  const labelSets = new Numbers<Readonly<Record<string, string>>>();
  const text = (value: string): number => strings.of(value, value);
  text('');
  const all = [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    epoch,
    sequence,
    at,
    isTruncated,
    addOns,
    clusters: {
      name: all.map(([name]) => name),
      state: all.map(([, { row }]) => CLUSTER_STATES.indexOf(row.state)),
      labels: all.map(([, { row }]) => labelSets.of(labelText(row.labels), row.labels)),
      kubernetes: all.map(([, { row }]) => text(row.kubernetes)),
    },
    cells: addOns.map(({ name }) =>
      encodeColumn(
        all.map(([, { cells }]) => cells.get(name) ?? ABSENT_CELL),
        text,
      ),
    ),
    strings: strings.values,
    labelSets: labelSets.values,
  };
}

function encodeColumn(cells: readonly FleetCell[], text: (value: string) => number): CellColumns {
  return {
    state: cells.map(({ state }) => CELL_STATES.indexOf(state)),
    version: cells.map(({ version }) => text(version)),
    target: cells.map(({ target }) => text(target)),
    reason: cells.map(({ reason }) => text(reason)),
  };
}

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

function labelText(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}
