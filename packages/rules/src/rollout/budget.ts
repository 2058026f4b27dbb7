import type { EntryState, PlacedGroup } from './input.js';
import type { ClusterObservation } from './phase.js';
import { failures, onTheWay, slotsTaken } from './place.js';
import type { MandatoryDecisionGroup } from '@outrigger/api';
import { amountOf } from '../strategy/rollout-strategy.js';

/** The clusters that the strategy would admit now. */
export interface Budget {
  /** In the order of the strategy, and at most `room` clusters. */
  readonly next: readonly ClusterObservation[];
  /** How many more clusters may be in flight. */
  readonly room: number;
  /** More clusters have failed than the strategy tolerates, so none is admitted. */
  readonly isExceeded: boolean;
}

/**
 * Mandatory groups come first, one at a time, and tolerate no failure; then the other groups follow as the strategy specifies. Strategy All
 * has no budget: a wildcard admission admits all clusters at once.
 */
export function nextClusters(state: EntryState, groups: readonly PlacedGroup[], withheld: ReadonlySet<string> = new Set()): Budget {
  const { type, mandatoryGroups } = state.strategy;
  if (type === 'All') return { next: [], room: sizeOf(groups), isExceeded: false };
  const { mandatory, rest } = inOrder(groups, mandatoryGroups);
  const isExceeded = hasTooManyFailures(state, groups, mandatory, rest);
  const plan = groupByGroup(mandatory, groups, withheld) ?? restOf(state, rest, groups, withheld);
  return { ...plan, next: isExceeded ? [] : plan.next, isExceeded };
}

/** The groups that the strategy puts first, and the others. */
export function inOrder(
  groups: readonly PlacedGroup[],
  mandatoryGroups: readonly MandatoryDecisionGroup[],
): { readonly mandatory: readonly PlacedGroup[]; readonly rest: readonly PlacedGroup[] } {
  const mandatory = mandatoryIn(groups, mandatoryGroups);
  return { mandatory, rest: groups.filter((group) => !mandatory.includes(group)) };
}

type Plan = Pick<Budget, 'next' | 'room'>;

function sizeOf(groups: readonly PlacedGroup[]): number {
  return groups.reduce((sum, { clusters }) => sum + clusters.length, 0);
}

/** Decision groups may change during a rollout, so a failed cluster counts in the group that it is in now. */
function hasTooManyFailures(
  { strategy: { type, maxFailures } }: EntryState,
  groups: readonly PlacedGroup[],
  mandatory: readonly PlacedGroup[],
  rest: readonly PlacedGroup[],
): boolean {
  if (mandatory.some(({ counts }) => failures(counts) > 0)) return true;
  if (type === 'ProgressivePerGroup') {
    return rest.some(({ counts, clusters }) => failures(counts) > amountOf(maxFailures, clusters.length));
  }
  return groups.reduce((sum, { counts }) => sum + failures(counts), 0) > amountOf(maxFailures, sizeOf(groups));
}

function restOf(state: EntryState, rest: readonly PlacedGroup[], groups: readonly PlacedGroup[], withheld: ReadonlySet<string>): Plan {
  if (state.strategy.type === 'Progressive') return progressive(state, rest, withheld);
  return groupByGroup(rest, groups, withheld) ?? { next: [], room: sizeOf(rest) };
}

/**
 * Admits whole groups in order: the next group starts when no cluster of the previous one is waiting, progressing or soaking. Clusters move
 * between groups, so a group starts only while no cluster of any other group is progressing or soaking. Undefined if all groups are
 * finished.
 */
function groupByGroup(candidates: readonly PlacedGroup[], groups: readonly PlacedGroup[], withheld: ReadonlySet<string>): Plan | undefined {
  const taken = groups.reduce((sum, { counts }) => sum + onTheWay(counts), 0);
  for (const group of candidates) {
    const size = group.clusters.length;
    const own = onTheWay(group.counts);
    const room = Math.max(0, size - taken);
    if (group.counts.waiting > 0) return { next: taken > own ? [] : firstInQueue([group], size, withheld), room };
    if (own > 0) return { next: [], room };
  }
  return undefined;
}

function progressive({ strategy, clustersPerGroup }: EntryState, groups: readonly PlacedGroup[], withheld: ReadonlySet<string>): Plan {
  const taken = groups.reduce((sum, { counts }) => sum + slotsTaken(counts), 0);
  const budget = amountOf(strategy.maxConcurrency ?? { count: clustersPerGroup }, sizeOf(groups));
  const room = Math.max(0, budget - taken);
  return { next: firstInQueue(groups, room, withheld), room };
}

/**
 * The waiting clusters to admit next. Clusters that gates hold are left out: they take no slot, but their group is not finished without
 * them. Each group is already in this order, so at most `room` clusters per group are taken.
 */
function firstInQueue(groups: readonly PlacedGroup[], room: number, withheld: ReadonlySet<string>): readonly ClusterObservation[] {
  const first: ClusterObservation[] = [];
  for (const { waiting } of groups) {
    let left = room;
    for (const seen of waiting) {
      if (left === 0) break;
      if (!seen.mayMove || withheld.has(seen.cluster)) continue;
      first.push(seen);
      left--;
    }
  }
  return first.sort(inQueue).slice(0, room);
}

/** Clusters that have a later revision first (addons.md §5), then by name. */
function inQueue(a: ClusterObservation, b: ClusterObservation): number {
  if (a.isReturning !== b.isReturning) return a.isReturning ? -1 : 1;
  return a.cluster < b.cluster ? -1 : 1;
}

/** The mandatory groups in the order of the references. A reference selects a group by name if it has one, else by index. */
function mandatoryIn(groups: readonly PlacedGroup[], refs: readonly MandatoryDecisionGroup[]): readonly PlacedGroup[] {
  const named = refs.flatMap((ref) =>
    groups.filter((group) => (ref.groupName ? ref.groupName === group.name : ref.groupIndex === group.index)),
  );
  return [...new Set(named)];
}
