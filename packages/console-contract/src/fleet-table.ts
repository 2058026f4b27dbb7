import {
  ABSENT_CELL,
  CELL_STATES,
  CLUSTER_STATES,
  type CellColumns,
  type FleetAddOn,
  type FleetCell,
  type FleetRow,
  type FleetSnapshot,
} from './fleet.js';

/** The fleet in maps by name, from which the server encodes a snapshot. Absent cells are not in the map. */
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

/** Encodes the fleet in columns, with each distinct text once. */
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

function labelText(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}
