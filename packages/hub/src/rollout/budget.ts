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

const NOBODY: Budget = { next: [], room: 0, isExceeded: false };

/** Mandatory groups one by one and without a failure, then the rest as the strategy says. All has no budget: everybody at once. */
export function nextClusters(state: EntryState, standings: ReadonlyMap<string, Standing>): Budget {
  const phaseOf = (cluster: string): Phase => standings.get(cluster)?.phase ?? 'waiting';
  const { type, mandatoryGroups, maxFailures } = state.strategy;
  if (type === 'All') return { next: [], room: standings.size, isExceeded: false };
  const mandatory = mandatoryIn(state.groups, mandatoryGroups);
  const first = groupByGroup(state, mandatory, phaseOf, () => 0);
  if (first !== 'complete') return first;
  const rest = state.groups.filter((group) => !mandatory.includes(group));
  if (type === 'Progressive') return progressive(state, rest, phaseOf);
  const next = groupByGroup(state, rest, phaseOf, (size) => amountOf(maxFailures, size));
  return next === 'complete' ? { ...NOBODY, room: standings.size } : next;
}

/**
 * Whole groups in order; the next one opens when nobody of the one before is waiting or in flight. Clusters move between groups, so one is
 * opened only while nobody of any other is on the way.
 */
function groupByGroup(
  state: EntryState,
  groups: readonly DecisionGroup[],
  phaseOf: (cluster: string) => Phase,
  toleratedFailures: (size: number) => number,
): Budget | 'complete' {
  for (const group of groups) {
    const { clusters } = group;
    const phases = clusters.map(phaseOf);
    const room = clusters.length;
    if (phases.filter(isFailure).length > toleratedFailures(clusters.length)) return { next: [], room, isExceeded: true };
    if (phases.some((phase) => phase === 'waiting')) {
      const isBusy = state.groups.some((other) => other !== group && other.clusters.map(phaseOf).some(isOnTheWay));
      return isBusy ? { ...NOBODY, room } : { next: waitingIn(state, clusters, phaseOf), room, isExceeded: false };
    }
    if (phases.some(isOnTheWay)) return { ...NOBODY, room };
  }
  return 'complete';
}

function isOnTheWay(phase: Phase): boolean {
  return phase === 'progressing' || phase === 'soaking';
}

function progressive(state: EntryState, groups: readonly DecisionGroup[], phaseOf: (cluster: string) => Phase): Budget {
  const clusters = groups.flatMap((group) => group.clusters);
  const all = state.groups.flatMap((group) => group.clusters);
  const { maxFailures, maxConcurrency } = state.strategy;
  let failures = 0;
  for (const cluster of all) if (isFailure(phaseOf(cluster))) failures++;
  let taken = 0;
  for (const cluster of clusters) if (takesSlot(phaseOf(cluster))) taken++;
  const budget = amountOf(maxConcurrency ?? { count: state.clustersPerGroup }, clusters.length);
  const room = Math.max(0, budget - taken);
  if (failures > amountOf(maxFailures, all.length)) return { next: [], room, isExceeded: true };
  return { next: waitingIn(state, clusters, phaseOf).slice(0, room), room, isExceeded: false };
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
