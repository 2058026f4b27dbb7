import type { AddOnRollout, ClusterManagementAddOn, ManagedCluster, ManagedClusterAddOn, RolloutEntry } from '@outrigger/api';
import { countText, findCondition, shell, nameOf } from '@outrigger/core';
import { isHalted, isPinned } from '@outrigger/rules/rollout';
import { clean } from '../terminal/clean.js';
import type { Cell } from '../terminal/table.js';

type RolloutWord = NonNullable<NonNullable<AddOnRollout['status']>['state']>;

/** The state of a rollout. All views and exit codes use these values. */
export interface RolloutState {
  readonly word: RolloutWord;
  /** Whether too many clusters failed with the target of an entry, even if the rollout has been paused since. */
  readonly hasHalted: boolean;
  /** The state with qualifications, for example `Completed, 1 away`. */
  readonly text: string;
  /** The number of clusters that did not get the target because they are not available. */
  readonly away: number;
  readonly failed: number;
  readonly pendingRemoval: { readonly count: number; readonly of: number } | undefined;
  readonly as: 'good' | 'warn' | 'bad';
}

export function rolloutState({ spec, status }: AddOnRollout): RolloutState {
  const word = status?.state ?? 'Pending';
  const away = (status?.entries ?? []).reduce((sum, entry) => sum + awayIn(entry), 0);
  const failed = status?.failed ?? 0;
  const pendingRemoval = status?.pendingRemoval;
  const hasHalted = (status?.entries ?? []).some(isHalted);
  const details = [
    ...(word !== 'Halted' && hasHalted ? ['halted'] : []),
    ...(word === 'Completed' && failed > 0 ? [`${failed} failed`] : []),
    ...(word === 'Completed' && status?.selected === 0 ? [NO_CLUSTERS] : []),
    ...(away > 0 ? [`${away} away`] : []),
    ...(isPinned(spec) ? ['pinned'] : []),
    ...(pendingRemoval ? ['removal waits'] : []),
  ];
  const isBad = word === 'Halted' || hasHalted || (word === 'Completed' && failed > 0);
  return {
    word,
    hasHalted: word === 'Halted' || hasHalted,
    text: [word, ...details].join(', '),
    away,
    failed,
    pendingRemoval,
    as: isBad ? 'bad' : word === 'Completed' && details.every((detail) => detail === NO_CLUSTERS) ? 'good' : 'warn',
  };
}

/** Qualifies the state of a rollout that is completed because it selects no cluster. Such a rollout needs no attention. */
const NO_CLUSTERS = 'no clusters';

/** Qualifies the state of a rollout if the manager does not know all clusters of the add-on. */
export const UNRESOLVED = 'clusters unknown';

/** The reasons of TargetsResolved for which the clusters of an entry are not known. */
const UNKNOWN_CLUSTERS: readonly string[] = ['PlacementNotFound', 'DecisionsIncomplete'];

/** Returns the reason why the manager does not know all clusters of the add-on; undefined if it knows them. */
export function unresolvedText({ status }: ClusterManagementAddOn): string | undefined {
  const resolved = findCondition(status?.conditions, 'TargetsResolved');
  return resolved?.status === 'False' && UNKNOWN_CLUSTERS.includes(resolved.reason) ? resolved.message : undefined;
}

/** Returns the pending removal, with the command that confirms it; empty if no removal is pending. */
export function removalText(rollout: AddOnRollout): string {
  const { pendingRemoval } = rolloutState(rollout);
  if (!pendingRemoval) return '';
  const { count, of } = pendingRemoval;
  const name = nameOf(rollout);
  return `the removal of ${clean(name)} from ${count} of ${countText(of, 'cluster')} waits for a confirmation: \`${shell`outrigger rollout confirm ${name}`}\` removes it; to keep it there, correct spec.installStrategy\n`;
}

export function rolloutStateCell(rollout: AddOnRollout): Cell {
  const { text, as } = rolloutState(rollout);
  return { text, as };
}

/** Returns the state of one entry, in the same terms as the state of a rollout. */
export function entryStateCell(entry: RolloutEntry): Cell | undefined {
  if (entry.state === undefined) return undefined;
  const away = awayIn(entry);
  if (isHalted(entry)) return { text: entry.state === 'Halted' ? entry.state : `${entry.state}, halted`, as: 'bad' };
  const isEmpty = entry.state === 'Completed' && entry.selected === 0;
  const text = away > 0 ? `${entry.state}, ${away} away` : isEmpty ? `${entry.state}, ${NO_CLUSTERS}` : entry.state;
  return { text, as: entry.state === 'Completed' && away === 0 ? 'good' : 'warn' };
}

function awayIn({ skipped = 0, parked = 0 }: RolloutEntry): number {
  return skipped + parked;
}

/**
 * Returns the names of the clusters of an entry that are away: the parked ones, which the record lists, and the skipped ones, which are
 * unavailable and neither admitted to the target nor done with it.
 */
export function awayClusters(
  entry: RolloutEntry,
  clusters: readonly ManagedCluster[],
  installed: readonly ManagedClusterAddOn[],
): readonly string[] {
  const parked = (entry.inFlight ?? []).flatMap(({ cluster, parkedSince }) => (parkedSince === undefined ? [] : [cluster]));
  if ((entry.skipped ?? 0) === 0) return parked;
  const members = new Set(entry.members ?? []);
  const byCluster = new Map(installed.map((clusterAddOn) => [clusterAddOn.metadata.namespace, clusterAddOn]));
  const skipped = clusters
    .filter((cluster) => members.has(nameOf(cluster)) && isAway(cluster))
    .map(nameOf)
    .filter((name) => !parked.includes(name) && isBehind(byCluster.get(name)));
  return [...parked, ...skipped].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/**
 * Returns the names of an entry's clusters on which the target failed. A cluster that missed the deadline of its rollout reports no
 * failure, so it counts as failed if it is admitted and not done while no cluster of the entry is progressing. The record lists the
 * clusters that count as failed although they are no longer in flight.
 */
export function failedClusters(
  { failed = 0, progressing = 0, members = [], unhealthy = [], failedWithoutHealth = [] }: RolloutEntry,
  installed: readonly ManagedClusterAddOn[],
): readonly string[] {
  if (failed === 0) return [];
  const names = new Set(members);
  const known = new Set([...unhealthy, ...failedWithoutHealth]);
  return installed
    .filter((clusterAddOn) => {
      const reason = findCondition(clusterAddOn.status?.conditions, 'Progressing')?.reason;
      const hasFailed = reason === 'Failed' || (progressing === 0 && reason !== 'Succeed' && !isBehind(clusterAddOn));
      const { namespace = '' } = clusterAddOn.metadata;
      return known.has(namespace) || (hasFailed && names.has(namespace));
    })
    .map(({ metadata }) => metadata.namespace ?? '')
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/** Whether the manager considers the cluster unavailable. A cluster without the condition is treated as available. */
function isAway({ status }: ManagedCluster): boolean {
  const available = findCondition(status?.conditions, 'ManagedClusterConditionAvailable');
  return available !== undefined && available.status !== 'True';
}

/** Whether the cluster of the add-on has not been admitted to the target. Only the Configured condition shows this. */
function isBehind(clusterAddOn: ManagedClusterAddOn | undefined): boolean {
  return findCondition(clusterAddOn?.status?.conditions, 'Configured')?.status !== 'True';
}
