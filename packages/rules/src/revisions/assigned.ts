import { memoize } from '@outrigger/core';
import { EVERY_CLUSTER, type AddOnRolloutStatus, type InFlightCluster, type RolloutEntry, type RolloutTarget } from '@outrigger/api';
import { isTemplate } from '../configuration/references.js';
import { homeOf } from '../observed/rollouts.js';
import type { AddOnProjection } from '../observed/add-ons.js';
import { followingOf } from '../strategy/following.js';
import { isVersionOnly, targetRefs } from './revision.js';

/**
 * Determines which revision the hub has assigned to a cluster. The sources are the rollout's status and the add-on's annotation, which only
 * the hub writes; the report of an agent is never used (addons.md §5).
 */

export function revisionIn(history: readonly RolloutTarget[] | undefined, revision: number | undefined): RolloutTarget | undefined {
  return revision === undefined ? undefined : history?.find((target) => target.revision === revision);
}

/** Returns the revision that an entry assigns to an add-on. It depends on how much of the entry's addonTemplate the add-on follows. */
export function entryRevision(entry: RolloutEntry, clusterAddOn: AddOnProjection): number | undefined {
  const { targetRevision: all, ownConfigsRevision: version, handMadeRevision: none } = entry;
  return { all, version, none }[followingOf(clusterAddOn)] ?? all;
}

/** Whether the entry has a wildcard admission for its current target. */
export const hasWildcard: (entry: RolloutEntry) => boolean = memoize(({ inFlight = [], targetRevision }: RolloutEntry) =>
  inFlight.some(({ cluster, revision }) => cluster === EVERY_CLUSTER && revision === targetRevision),
);

/** Whether the wildcard admission of the entry covers this cluster. It does not if a gate held the cluster when the admission was made. */
export function isInWildcard(entry: RolloutEntry, cluster: string): boolean {
  return hasWildcard(entry) && !exceptions(entry)(cluster);
}

const exceptions: (entry: RolloutEntry) => (cluster: string) => boolean = memoize(({ inFlight = [], targetRevision }: RolloutEntry) =>
  exceptionTest(inFlight.find(({ cluster, revision }) => cluster === EVERY_CLUSTER && revision === targetRevision)),
);

/**
 * Returns a function that reports whether a wildcard admission excludes a cluster. If its `except` names a gate instead of clusters, it
 * excludes all clusters.
 */
export function exceptionTest(wildcard: InFlightCluster | undefined): (cluster: string) => boolean {
  const except = wildcard?.except ?? [];
  if (except.length === 0) return () => false;
  if (except.some((name) => name.startsWith(WHOLE_GATE))) return () => true;
  const names = new Set(except);
  return (cluster) => names.has(cluster);
}

const WHOLE_GATE = 'gate:';

/** The revision to which the entry's record admits a cluster by name. */
export function namedRevision(entry: RolloutEntry | undefined, cluster: string): number | undefined {
  return entry?.inFlight?.find((admitted) => admitted.cluster === cluster)?.revision;
}

/**
 * Whether gates must be evaluated before a cluster of the entry is admitted. The gates of a deleted policy hold clusters for a few more
 * minutes, so they are evaluated as long as the record names them.
 */
export function hasGates({ policies = [] }: { readonly policies?: readonly unknown[] }, entry: RolloutEntry | undefined): boolean {
  return policies.length > 0 || (entry?.waitingFor ?? []).length > 0 || (entry?.openedGates ?? []).length > 0;
}

/**
 * Returns the content that a cluster may have without a new admission: the revision of the wildcard admission in the entry that lists the
 * cluster, otherwise the revision in the add-on's annotation. The annotation is also used if no template provides the version of the
 * wildcard's revision. If no entry lists the cluster yet, the wildcard admission of the entry `entryName` counts.
 */
export function assignedTarget(
  status: AddOnRolloutStatus,
  clusterAddOn: AddOnProjection,
  entryName: string | undefined,
): RolloutTarget | undefined {
  const cluster = clusterAddOn.key.namespace ?? '';
  const entry = status.entries?.find(({ name }) => name === entryName);
  // If the entry has gates, they must be evaluated first, so its wildcard admission does not cover a cluster that the entry does not list
  // yet.
  const home = homeOf(status, cluster) ?? (hasGates(status, entry) ? undefined : entry);
  const wildcard = home && isInWildcard(home, cluster) ? revisionIn(status.history, entryRevision(home, clusterAddOn)) : undefined;
  return wildcard && !isVersionOnly(wildcard) ? wildcard : revisionIn(status.history, clusterAddOn.revision);
}

/** Whether any content in the rollout's history includes a template. */
export function hasTemplate(status: AddOnRolloutStatus | undefined): boolean {
  return status?.history?.some((target) => targetRefs(target).some(isTemplate)) ?? false;
}
