import { memoize } from '@outrigger/core';
import { EVERY_CLUSTER, type AddOnRolloutStatus, type InFlightCluster, type RolloutEntry, type RolloutTarget } from '@outrigger/api';
import { isTemplate } from '../configuration/references.js';
import { homeOf } from '../observed/rollouts.js';
import type { AddOnRecord } from '../observed/add-ons.js';
import { followingOf } from '../strategy/following.js';
import { isVersionOnly, targetRefs } from './revision.js';

/**
 * Determines which revision the hub has given a cluster, from the record and the add-on's annotation, which only the hub writes. The report
 * of an agent is never used (addons.md §5).
 */

export function revisionIn(history: readonly RolloutTarget[] | undefined, revision: number | undefined): RolloutTarget | undefined {
  return revision === undefined ? undefined : history?.find((target) => target.revision === revision);
}

/** The revision that an entry gives an add-on: it depends on how much of the entry's addonTemplate the add-on follows. */
export function entryRevision(entry: RolloutEntry, addOn: AddOnRecord): number | undefined {
  const { targetRevision: all, ownConfigsRevision: version, handMadeRevision: none } = entry;
  return { all, version, none }[followingOf(addOn)] ?? all;
}

/** Whether the entry has a wildcard admission for its current target. */
export const hasWildcard: (entry: RolloutEntry) => boolean = memoize(({ inFlight = [], targetRevision }: RolloutEntry) =>
  inFlight.some(({ cluster, revision }) => cluster === EVERY_CLUSTER && revision === targetRevision),
);

/** Whether the wildcard admission of the entry covers a cluster of the entry. A gate may have held the cluster back. */
export function isInWildcard(entry: RolloutEntry, cluster: string): boolean {
  return hasWildcard(entry) && !exceptions(entry)(cluster);
}

const exceptions: (entry: RolloutEntry) => (cluster: string) => boolean = memoize(({ inFlight = [], targetRevision }: RolloutEntry) =>
  exceptionTest(inFlight.find(({ cluster, revision }) => cluster === EVERY_CLUSTER && revision === targetRevision)),
);

/** Tests whether a wildcard admission leaves out a cluster. A name that stands for a whole gate leaves out all clusters. */
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
 * The content that a cluster has without a new admission: the revision of the wildcard admission in the entry that records the cluster,
 * else the revision in its annotation. A version that no template offers has no content; then the annotation still names what runs.
 */
export function heldTarget(status: AddOnRolloutStatus, addOn: AddOnRecord, entryName: string): RolloutTarget | undefined {
  const cluster = addOn.key.namespace ?? '';
  // While policies govern the add-on, a cluster that joins is not covered before an entry lists it: gates decide about it.
  const isOpen = (status.policies ?? []).length === 0;
  const home = homeOf(status, cluster) ?? (isOpen ? status.entries?.find(({ name }) => name === entryName) : undefined);
  const wildcard = home && isInWildcard(home, cluster) ? revisionIn(status.history, entryRevision(home, addOn)) : undefined;
  return wildcard && !isVersionOnly(wildcard) ? wildcard : revisionIn(status.history, addOn.revision);
}

/** Whether any content in the record's history includes a template. */
export function hasTemplate(status: AddOnRolloutStatus | undefined): boolean {
  return status?.history?.some((target) => targetRefs(target).some(isTemplate)) ?? false;
}
