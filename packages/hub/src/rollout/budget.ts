import type { DecisionGroup, EntryState } from './entry.js';
import { type Phase, type Standing, isFailure, takesSlot } from './phase.js';
import { type GroupRef, amountOf } from './strategy.js';

/** Whom the strategy would let go now. */
export interface Budget {
  /** In the order of the strategy, never more than there is room for. */
  readonly next: readonly string[];
  /** How many more may be in flight. */
  readonly room: number;
  /** More have failed than the strategy tolerates: nobody is let go. */
  readonly isExceeded: boolean;
}

/** Mandatory groups one by one and without a failure, then the rest as the strategy says. All has no budget: everybody at once. */
export function nextClusters(state: EntryState, standings: ReadonlyMap<string, Standing>): Budget {
  const { type, mandatoryGroups } = state.strategy;
  if (type === 'All') return { next: [], room: standings.size, isExceeded: false };
  const phaseOf = (cluster: string): Phase => standings.get(cluster)?.phase ?? 'waiting';
  const mandatory = mandatoryIn(state.groups, mandatoryGroups);
  const rest = state.groups.filter((group) => !mandatory.includes(group));
  const isExceeded = hasTooManyFailures(state, mandatory, rest, phaseOf);
  const plan = groupByGroup(state, mandatory, phaseOf) ?? restOf(state, rest, phaseOf);
  return { ...plan, next: isExceeded ? [] : plan.next, isExceeded };
}

type Plan = Pick<Budget, 'next' | 'room'>;

/** Groups are rewritten while a rollout goes on, so a failure counts wherever its cluster is now. */
function hasTooManyFailures(
  { strategy, groups }: EntryState,
  mandatory: readonly DecisionGroup[],
  rest: readonly DecisionGroup[],
  phaseOf: (cluster: string) => Phase,
): boolean {
  const failuresIn = ({ clusters }: DecisionGroup): number =>
    clusters.reduce((sum, cluster) => sum + (isFailure(phaseOf(cluster)) ? 1 : 0), 0);
  if (mandatory.some((group) => failuresIn(group) > 0)) return true;
  if (strategy.type === 'ProgressivePerGroup') {
    return rest.some((group) => failuresIn(group) > amountOf(strategy.maxFailures, group.clusters.length));
  }
  const size = groups.reduce((sum, { clusters }) => sum + clusters.length, 0);
  return groups.reduce((sum, group) => sum + failuresIn(group), 0) > amountOf(strategy.maxFailures, size);
}

function restOf(state: EntryState, rest: readonly DecisionGroup[], phaseOf: (cluster: string) => Phase): Plan {
  if (state.strategy.type === 'Progressive') return progressive(state, rest, phaseOf);
  return groupByGroup(state, rest, phaseOf) ?? { next: [], room: rest.reduce((sum, { clusters }) => sum + clusters.length, 0) };
}

/**
 * Whole groups in order; the next one opens when nobody of the one before is waiting or in flight. Clusters move between groups, so one is
 * opened only while nobody of any other is on the way. Undefined where all of them are through.
 */
function groupByGroup(state: EntryState, groups: readonly DecisionGroup[], phaseOf: (cluster: string) => Phase): Plan | undefined {
  for (const group of groups) {
    const phases = group.clusters.map(phaseOf);
    const room = group.clusters.length;
    if (phases.includes('waiting')) {
      const isBusy = state.groups.some((other) => other !== group && other.clusters.map(phaseOf).some(isOnTheWay));
      return { next: isBusy ? [] : waitingIn(state, group.clusters, phaseOf), room };
    }
    if (phases.some(isOnTheWay)) return { next: [], room };
  }
  return undefined;
}

function isOnTheWay(phase: Phase): boolean {
  return phase === 'progressing' || phase === 'soaking';
}

function progressive(state: EntryState, groups: readonly DecisionGroup[], phaseOf: (cluster: string) => Phase): Plan {
  const clusters = groups.flatMap((group) => group.clusters);
  let taken = 0;
  for (const cluster of clusters) if (takesSlot(phaseOf(cluster))) taken++;
  const budget = amountOf(state.strategy.maxConcurrency ?? { count: state.clustersPerGroup }, clusters.length);
  const room = Math.max(0, budget - taken);
  return { next: room === 0 ? [] : waitingIn(state, clusters, phaseOf).slice(0, room), room };
}

/** Who waits and may go, by name. */
function waitingIn(state: EntryState, clusters: readonly string[], phaseOf: (cluster: string) => Phase): readonly string[] {
  return clusters.filter((cluster) => phaseOf(cluster) === 'waiting' && (state.observations.get(cluster)?.mayMove ?? true)).sort();
}

/** The mandatory groups in the order they are named. A reference names a group by name where it has one, else by index. */
function mandatoryIn(groups: readonly DecisionGroup[], refs: readonly GroupRef[]): readonly DecisionGroup[] {
  const named = refs.flatMap((ref) =>
    groups.filter((group) => (ref.groupName ? ref.groupName === group.name : ref.groupIndex === group.index)),
  );
  return [...new Set(named)];
}
