import type { CellState, ClusterState, FleetAddOn, FleetCell, FleetDelta, FleetRowDelta } from '../src/fleet.js';
import type { FleetTable, FleetTableRow } from '../src/fleet-table.js';
import { applyFleetDelta } from './decode-fleet.js';

export interface SyntheticOptions {
  readonly clusters: number;
  readonly addOns: number;
  /** The same seed gives the same fleet. */
  readonly seed?: number;
}

const REGIONS = ['eu-central', 'eu-west', 'us-east', 'us-west', 'ap-south'];
const PROVIDERS = ['aws', 'azure', 'gcp', 'metal'];
const NAMES = ['hello', 'metrics', 'logging', 'policy', 'backup', 'mesh', 'dns', 'ingress', 'certificates', 'storage'];
const REASONS = ['ImagePullBackOff', 'CrashLoopBackOff', 'NamespaceNotFound', 'QuotaExceeded'];
const AT = '2026-11-16T08:00:00Z';

/** Mulberry32, a small generator that is good enough for synthetic fleets. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function syntheticFleet({ clusters, addOns, seed = 1 }: SyntheticOptions): FleetTable {
  const random = randomOf(seed);
  const declared = Array.from({ length: addOns }, (_, index) => syntheticAddOn(index));
  const rows = Array.from({ length: clusters }, (_, index): [string, FleetTableRow] => [
    clusterName(index),
    {
      row: {
        state: clusterState(random()),
        labels: { region: pick(REGIONS, index), provider: pick(PROVIDERS, index >> 3), ring: String(index % 4) },
        kubernetes: `v1.${33 + (index % 3)}.${index % 5}`,
      },
      cells: new Map(declared.flatMap((addOn) => (random() < 0.05 ? [] : [[addOn.name, syntheticCell(addOn, random)]]))),
    },
  ]);
  return { epoch: `synthetic-${seed}`, sequence: 1, at: AT, isTruncated: false, addOns: declared, rows: new Map(rows) };
}

/** An endless sequence of deltas, each of which changes `changes` cells of the fleet. */
export function* syntheticDeltas(fleet: FleetTable, changes: number, seed = 2): Generator<FleetDelta, never> {
  const random = randomOf(seed);
  const names = [...fleet.rows.keys()];
  let { sequence } = fleet;
  for (;;) {
    const rows = new Map<string, Record<string, FleetCell>>();
    for (let done = 0; done < changes; done++) {
      const cluster = names[Math.floor(random() * names.length)];
      const addOn = fleet.addOns[Math.floor(random() * fleet.addOns.length)];
      if (cluster === undefined || addOn === undefined) continue;
      rows.set(cluster, { ...rows.get(cluster), [addOn.name]: syntheticCell(addOn, random) });
    }
    const from = sequence;
    yield { from, sequence: ++sequence, removed: [], rows: [...rows].map(([cluster, cells]): FleetRowDelta => ({ cluster, cells })) };
  }
}

/** The fleet after the first `count` deltas of `syntheticDeltas`. */
export function syntheticFleetAfter(fleet: FleetTable, changes: number, count: number): FleetTable {
  const deltas = syntheticDeltas(fleet, changes);
  let now = fleet;
  for (let done = 0; done < count; done++) now = applyFleetDelta(now, deltas.next().value) ?? now;
  return now;
}

export function clusterName(index: number): string {
  return `cluster-${String(index + 1).padStart(5, '0')}`;
}

function syntheticAddOn(index: number): FleetAddOn {
  const base = pick(NAMES, index);
  const name = index < NAMES.length ? base : `${base}-${Math.floor(index / NAMES.length) + 1}`;
  return {
    name,
    displayName: `${base.charAt(0).toUpperCase()}${base.slice(1)}`,
    rollout: index % 7 === 3 ? 'Halted' : index % 3 === 1 ? 'Progressing' : 'Completed',
    target: `v1.${index % 4}.0`,
    isPaused: index % 11 === 5,
    ...(index % 13 === 6 ? { pinnedRevision: 2 } : {}),
  };
}

function syntheticCell({ target, rollout }: FleetAddOn, random: () => number): FleetCell {
  const state = cellState(random(), rollout === 'Completed');
  const isBehind = state === 'progressing' || state === 'waiting' || state === 'failed';
  const isWell = state === 'available' || state === 'progressing' || state === 'waiting';
  return { state, version: isBehind ? 'v0.9.0' : target, target, reason: isWell ? '' : pick(REASONS, Math.floor(random() * 10)) };
}

function cellState(chance: number, isSettled: boolean): CellState {
  if (chance < 0.9) return isSettled || chance < 0.6 ? 'available' : chance < 0.7 ? 'progressing' : 'waiting';
  if (chance < 0.93) return 'degraded';
  if (chance < 0.96) return 'failed';
  return chance < 0.98 ? 'unavailable' : 'blocked';
}

function clusterState(chance: number): ClusterState {
  return chance < 0.97 ? 'available' : chance < 0.985 ? 'unreachable' : 'unavailable';
}

function pick<T>(values: readonly T[], index: number): T {
  const value = values[index % values.length];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}
