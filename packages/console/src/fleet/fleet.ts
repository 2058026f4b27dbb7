// The fleet in the browser's memory. There is one number per cell and property, and each distinct text is stored once, so 10,000 × 20 cells
// take about 3 MB.
import {
  ABSENT_CELL,
  CELL_STATES,
  CLUSTER_STATES,
  type ClusterState,
  compareNames,
  type FleetAddOn,
  type FleetCell,
  type FleetDelta,
  type FleetSnapshot,
} from '@outrigger/console-contract';

export interface Fleet {
  readonly epoch: string;
  readonly sequence: number;
  readonly isTruncated: boolean;
  /** The clusters in name order. */
  readonly clusters: readonly FleetCluster[];
  readonly addons: readonly FleetAddOn[];
  /**
   * The state of each cell, row by row, as an index into CELL_STATES. Deltas change the arrays in place; each change creates a new Fleet
   * object with the same arrays.
   */
  readonly states: Uint8Array;
  /**
   * For each cell, row by row, indexes into `texts`: the version on the cluster, the wanted version, and the reason why the cell is
   * unhealthy.
   */
  readonly versions: Uint32Array;
  readonly targets: Uint32Array;
  readonly reasons: Uint32Array;
  readonly texts: Texts;
  /** The number of cells per state for each add-on, in the order of CELL_STATES. Deltas change the array in place. */
  readonly totals: Uint32Array;
  /** The cells that the last delta changed. */
  readonly changed: readonly number[];
}

export interface FleetCluster {
  readonly name: string;
  readonly state: ClusterState;
  readonly labels: Readonly<Record<string, string>>;
  readonly kubernetes: string;
}

/** A list of distinct texts. Index 0 is the empty text. */
export class Texts {
  readonly #all: string[] = [''];
  readonly #indexes: Map<string, number> = new Map([['', 0]]);

  at(index: number | undefined): string {
    return this.#all[index ?? 0] ?? '';
  }

  has(text: string): boolean {
    return this.#indexes.has(text);
  }

  indexOf(text: string): number {
    const known = this.#indexes.get(text);
    if (known !== undefined) return known;
    this.#indexes.set(text, this.#all.length);
    return this.#all.push(text) - 1;
  }
}

export function cellIndex(fleet: Fleet, row: number, column: number): number {
  return row * fleet.addons.length + column;
}

export function isAway(fleet: Fleet, index: number): boolean {
  return fleet.versions[index] !== fleet.targets[index] && fleet.targets[index] !== 0;
}

export function fleetOf(snapshot: FleetSnapshot): Fleet {
  const { clusters, cells, strings, labelSets, addOns } = snapshot;
  const texts = new Texts();
  const known = strings.map((text) => texts.indexOf(text));
  const order = [...clusters.name.keys()].sort((a, b) => compareNames(clusters.name[a] ?? '', clusters.name[b] ?? ''));
  const empty = emptyFleet(snapshot, addOns, texts, order.length);
  const rows = order.map((at, row): FleetCluster => {
    for (const [column, values] of cells.entries()) {
      const index = row * addOns.length + column;
      empty.states[index] = values.state[at] ?? 0;
      empty.versions[index] = known[values.version[at] ?? 0] ?? 0;
      empty.targets[index] = known[values.target[at] ?? 0] ?? 0;
      empty.reasons[index] = known[values.reason[at] ?? 0] ?? 0;
    }
    return {
      name: clusters.name[at] ?? '',
      state: CLUSTER_STATES[clusters.state[at] ?? 0] ?? 'unreported',
      labels: labelSets[clusters.labels[at] ?? 0] ?? {},
      kubernetes: strings[clusters.kubernetes[at] ?? 0] ?? '',
    };
  });
  countAll(empty);
  return { ...empty, clusters: rows };
}

function countAll({ states, addons, totals }: Fleet): void {
  totals.fill(0);
  for (let index = 0; index < states.length; index++) {
    const at = (index % addons.length) * CELL_STATES.length + (states[index] ?? 0);
    totals[at] = (totals[at] ?? 0) + 1;
  }
}

/**
 * Returns the fleet after the delta or a part of it. Returns undefined if the delta does not apply to the fleet; a snapshot is then needed.
 */
export function changeFleet(fleet: Fleet, delta: FleetDelta & { readonly isPartial?: boolean }): Fleet | undefined {
  if (delta.from > fleet.sequence) return undefined;
  if (delta.sequence <= fleet.sequence) return fleet;
  const shaped = reshape(fleet, delta);
  const columns = new Map(shaped.addons.map(({ name }, column) => [name, column]));
  // Most deltas change only cells, so reuse the list of clusters and all data derived from it.
  const changed: number[] = [];
  const clusters = delta.rows.some(({ row }) => row !== undefined) ? [...shaped.clusters] : shaped.clusters;
  for (const { cluster, row, cells } of delta.rows) {
    const at = findCluster(clusters, cluster);
    const before = clusters[at];
    if (before === undefined || before.name !== cluster) continue;
    if (row !== undefined) (clusters as FleetCluster[])[at] = { name: cluster, ...row };
    for (const [addOn, cell] of Object.entries(cells)) {
      const column = columns.get(addOn);
      if (column === undefined) continue;
      const index = cellIndex(shaped, at, column);
      writeCell(shaped, index, column, cell.state === 'absent' ? ABSENT_CELL : cell);
      changed.push(index);
    }
  }
  return { ...shaped, clusters, changed, sequence: delta.isPartial ? fleet.sequence : delta.sequence };
}

/** Returns the fleet with the rows and columns of the delta. Reuses the arrays if no row or column is added or removed. */
function reshape(fleet: Fleet, { addOns, removed, rows }: FleetDelta): Fleet {
  const isKnown = (name: string) => fleet.clusters[findCluster(fleet.clusters, name)]?.name === name;
  const gone = new Set(removed);
  const added = rows.flatMap(({ cluster, row }) =>
    row !== undefined && (!isKnown(cluster) || gone.has(cluster)) ? [{ name: cluster, ...row }] : [],
  );
  const columnsBefore = fleet.addons.map(({ name }) => name).join('\n');
  const hasSameColumns = addOns === undefined || addOns.map(({ name }) => name).join('\n') === columnsBefore;
  if (gone.size === 0 && added.length === 0 && hasSameColumns) return { ...fleet, addons: addOns ?? fleet.addons };
  const clusters = [...fleet.clusters.filter(({ name }) => !gone.has(name)), ...added].sort((a, b) => compareNames(a.name, b.name));
  const next: Fleet = { ...emptyFleet(fleet, addOns ?? fleet.addons, fleet.texts, clusters.length), clusters };
  const columns = next.addons.map(({ name }) => fleet.addons.findIndex((one) => one.name === name));
  for (const [row, { name }] of clusters.entries()) {
    const before = findCluster(fleet.clusters, name);
    if (fleet.clusters[before]?.name !== name || gone.has(name)) continue;
    for (const [column, columnBefore] of columns.entries()) {
      if (columnBefore < 0) continue;
      const [to, from] = [cellIndex(next, row, column), cellIndex(fleet, before, columnBefore)];
      next.states[to] = fleet.states[from] ?? 0;
      next.versions[to] = fleet.versions[from] ?? 0;
      next.targets[to] = fleet.targets[from] ?? 0;
      next.reasons[to] = fleet.reasons[from] ?? 0;
    }
  }
  countAll(next);
  return next;
}

function writeCell(fleet: Fleet, index: number, column: number, cell: FleetCell): void {
  const state = CELL_STATES.indexOf(cell.state);
  const base = column * CELL_STATES.length;
  const [before, after] = [base + (fleet.states[index] ?? 0), base + state];
  fleet.totals[before] = (fleet.totals[before] ?? 1) - 1;
  fleet.totals[after] = (fleet.totals[after] ?? 0) + 1;
  fleet.states[index] = state;
  fleet.versions[index] = fleet.texts.indexOf(cell.version);
  fleet.targets[index] = fleet.texts.indexOf(cell.target);
  fleet.reasons[index] = fleet.texts.indexOf(cell.reason);
}

function emptyFleet(
  { epoch, sequence, isTruncated }: Pick<Fleet, 'epoch' | 'sequence' | 'isTruncated'>,
  addons: readonly FleetAddOn[],
  texts: Texts,
  count: number,
): Fleet {
  const size = count * addons.length;
  return {
    epoch,
    sequence,
    isTruncated,
    addons,
    texts,
    clusters: [],
    states: new Uint8Array(size),
    versions: new Uint32Array(size),
    targets: new Uint32Array(size),
    reasons: new Uint32Array(size),
    totals: new Uint32Array(addons.length * CELL_STATES.length),
    changed: [],
  };
}

/** The index of the cluster in name order, or the index at which it would be inserted. */
function findCluster(clusters: readonly FleetCluster[], name: string): number {
  let [low, high] = [0, clusters.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareNames(clusters[middle]?.name ?? '', name) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
