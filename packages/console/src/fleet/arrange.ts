import { STATE_RANKS } from '../parts/states.js';
import type { Match } from './match.js';
import { cellIndex, type Fleet, type FleetCluster } from './fleet.js';
import { countStates, type StateCounts, worstRank } from './totals.js';

/**
 * Returns the rows in the order that the user selected: `name`, `worst`, or `addon/<name>` for the state of one add-on. Rows with equal
 * states are sorted by name. The given rows are already in name order, so one pass over them for each rank is enough.
 */
export function sortRows(fleet: Fleet, { rows, columns }: Match, order: string): Uint32Array {
  const column = order.startsWith('addon/') ? fleet.addons.findIndex(({ name }) => name === order.slice('addon/'.length)) : -1;
  if (column < 0 && order !== 'worst') return rows;
  const ranks = rows.map((row) =>
    column >= 0 ? (STATE_RANKS[fleet.states[cellIndex(fleet, row, column)] ?? 0] ?? 0) : worstRank(fleet, row, columns),
  );
  const sorted = new Uint32Array(rows.length);
  let count = 0;
  for (let rank = Math.max(...STATE_RANKS); rank >= 0; rank--) {
    for (let index = 0; index < rows.length; index++) {
      if (ranks[index] === rank) sorted[count++] = rows[index] ?? 0;
    }
  }
  return sorted;
}

/** The key that groups clusters by their Kubernetes version. It is not a valid label name, so it cannot collide with a label. */
export const KUBERNETES = '@kubernetes';

export interface Group {
  /** The value of the label; `undefined` for the group of clusters without the label. */
  readonly value: string | undefined;
  readonly rows: Uint32Array;
  /** The number of cells per state, for each column. */
  readonly counts: readonly StateCounts[];
}

export function groupRows(fleet: Fleet, { rows, columns }: Match, label: string): Group[] {
  const byValue = new Map<string | undefined, number[]>();
  for (const row of rows) {
    const value = groupOf(fleet.clusters[row], label);
    const members = byValue.get(value);
    if (members === undefined) byValue.set(value, [row]);
    else members.push(row);
  }
  return [...byValue]
    .sort(([a], [b]) => (a === undefined ? 1 : b === undefined ? -1 : a < b ? -1 : 1))
    .map(([value, members]) => {
      const grouped = Uint32Array.from(members);
      return { value, rows: grouped, counts: columns.map((column) => countStates(fleet, grouped, [column])) };
    });
}

function groupOf(cluster: FleetCluster | undefined, label: string): string | undefined {
  if (label === KUBERNETES) return cluster?.kubernetes || undefined;
  return cluster !== undefined && Object.hasOwn(cluster.labels, label) ? cluster.labels[label] : undefined;
}

/**
 * The prefix of the labels in which the hub sets the state of each add-on. They are not offered for grouping, because the columns show the
 * states.
 */
const ADD_ON_STATES = 'feature.open-cluster-management.io/addon-';

/**
 * Labels that are useful for grouping: they have at least two values, and either at most three values or on average at least two clusters
 * per value.
 */
export function groupingLabels(fleet: Fleet): string[] {
  const values = new Map<string, { seen: Set<string>; count: number }>();
  for (const { labels } of fleet.clusters) {
    for (const [key, value] of Object.entries(labels)) {
      if (key.startsWith(ADD_ON_STATES)) continue;
      const known = values.get(key) ?? { seen: new Set<string>(), count: 0 };
      known.seen.add(value);
      known.count++;
      values.set(key, known);
    }
  }
  const versions = new Set(fleet.clusters.map(({ kubernetes }) => kubernetes).filter((version) => version !== ''));
  const labels = [...values]
    .filter(([, { seen, count }]) => seen.size > 1 && (seen.size <= count / 2 || seen.size <= 3))
    .map(([key]) => key)
    .sort();
  return versions.size > 1 ? [...labels, KUBERNETES] : labels;
}

export function groupingName(label: string): string {
  return label === KUBERNETES ? 'Kubernetes version' : label;
}
