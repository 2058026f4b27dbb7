import type { MandatoryDecisionGroup } from '@outrigger/api';
import { amountOf, isGroupByGroup, type Strategy } from '../../strategy/rollout-strategy.js';
import type { ObservedCluster, StepInput } from '../input.js';
import { failures, onTheWay, type PlacedGroup, slotsTaken } from '../phase.js';

/** The clusters that the strategy would admit now. */
export interface Budget {
  /** The clusters to admit next: at most `room`, in the order of the strategy. */
  readonly next: readonly ObservedCluster[];
  /** The number of further clusters that may be in flight. */
  readonly room: number;
  /** Whether more clusters have failed than the strategy tolerates; if so, no cluster is admitted. */
  readonly isExceeded: boolean;
  /** Whether more clusters have failed than the strategy tolerates, without counting clusters that may recover. */
  readonly isExceededForGood: boolean;
}

/**
 * Returns the clusters to admit next. The mandatory groups come first, one at a time, and none of their clusters may fail. The other groups
 * follow as the strategy specifies. Strategy All has no budget, because its wildcard admission admits all clusters at once.
 */
export function nextClusters(input: StepInput, groups: readonly PlacedGroup[], withheld: ReadonlySet<string>): Budget {
  const { type, mandatoryGroups } = input.strategy;
  if (type === 'All') return { next: [], room: sizeOf(groups), isExceeded: false, isExceededForGood: false };
  const { mandatory, optional } = inOrder(groups, mandatoryGroups);
  const isExceeded = hasTooMany(failures, input, groups, { mandatory, optional });
  const isExceededForGood = isExceeded && hasTooMany(({ failed }) => failed, input, groups, { mandatory, optional });
  const plan = groupByGroup(mandatory, groups, withheld) ?? AFTER_MANDATORY[type](input, optional, groups, withheld);
  return { ...plan, next: isExceeded || input.isUnknown ? [] : plan.next, isExceeded, isExceededForGood };
}

/** The groups that the strategy puts first, and the others. */
export function inOrder(
  groups: readonly PlacedGroup[],
  mandatoryGroups: readonly MandatoryDecisionGroup[],
): { readonly mandatory: readonly PlacedGroup[]; readonly optional: readonly PlacedGroup[] } {
  if (mandatoryGroups.length === 0) return { mandatory: [], optional: groups };
  const mandatory = mandatoryIn(groups, mandatoryGroups);
  return { mandatory, optional: groups.filter((group) => !mandatory.includes(group)) };
}

type Plan = Pick<Budget, 'next' | 'room'>;

function sizeOf(groups: readonly PlacedGroup[]): number {
  return groups.reduce((sum, { clusters }) => sum + clusters.length, 0);
}

/** Decision groups may change during a rollout, so a failed cluster counts in the group to which it belongs now. */
function hasTooMany(
  failed: (counts: PlacedGroup['counts']) => number,
  { strategy }: StepInput,
  groups: readonly PlacedGroup[],
  { mandatory, optional }: { readonly mandatory: readonly PlacedGroup[]; readonly optional: readonly PlacedGroup[] },
): boolean {
  if (mandatory.some(({ counts }) => failed(counts) > 0)) return true;
  if (isGroupByGroup(strategy)) {
    return optional.some(({ counts, clusters }) => failed(counts) > amountOf(strategy.maxFailures, clusters.length));
  }
  return groups.reduce((sum, { counts }) => sum + failed(counts), 0) > amountOf(strategy.maxFailures, sizeOf(groups));
}

/**
 * For each type of strategy, the function that admits the groups that are not mandatory. Strategy All has no row, because it has no budget.
 */
const AFTER_MANDATORY: Readonly<
  Record<
    Exclude<Strategy['type'], 'All'>,
    (input: StepInput, optional: readonly PlacedGroup[], groups: readonly PlacedGroup[], withheld: ReadonlySet<string>) => Plan
  >
> = {
  Progressive: (input, optional, _groups, withheld) => progressive(input, optional, withheld),
  ProgressivePerGroup: (_input, optional, groups, withheld) =>
    groupByGroup(optional, groups, withheld) ?? { next: [], room: sizeOf(optional) },
};

/**
 * Admits whole groups in order. The next group starts when no cluster of the previous group is waiting, progressing or soaking. Clusters
 * may move between groups, so a group starts only while no cluster of any other group is progressing or soaking. Returns undefined if all
 * groups have finished.
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

function progressive({ strategy, clustersPerGroup }: StepInput, groups: readonly PlacedGroup[], withheld: ReadonlySet<string>): Plan {
  const taken = groups.reduce((sum, { counts }) => sum + slotsTaken(counts), 0);
  const budget = amountOf(strategy.maxConcurrency ?? { count: clustersPerGroup }, sizeOf(groups));
  const room = Math.max(0, budget - taken);
  return { next: firstInQueue(groups, room, withheld), room };
}

/**
 * The waiting clusters to admit next, without clusters that gates hold. Held clusters take no slot, but their group is not finished until
 * they have moved. Each group is already in queue order, so taking at most `room` clusters per group is enough.
 */
function firstInQueue(groups: readonly PlacedGroup[], room: number, withheld: ReadonlySet<string>): readonly ObservedCluster[] {
  const first: ObservedCluster[] = [];
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

/**
 * Orders the queue: by rank, which differs only in an automatic way back; then clusters with a later revision first (addons.md §5); then by
 * name.
 */
function inQueue(a: ObservedCluster, b: ObservedCluster): number {
  const byRank = (a.wayBackRank ?? 0) - (b.wayBackRank ?? 0);
  if (byRank !== 0) return byRank;
  if (a.isReturning !== b.isReturning) return a.isReturning ? -1 : 1;
  return a.cluster < b.cluster ? -1 : 1;
}

/**
 * The mandatory groups in the order of their references. A reference with a name selects a group by name; a reference without a name
 * selects by index; without an index it selects the first group, because programs that use upstream's types do not write the index 0.
 */
function mandatoryIn(groups: readonly PlacedGroup[], refs: readonly MandatoryDecisionGroup[]): readonly PlacedGroup[] {
  const named = refs.flatMap((ref) =>
    groups.filter((group) => (ref.groupName ? ref.groupName === group.name : (ref.groupIndex ?? 0) === group.index)),
  );
  return [...new Set(named)];
}
