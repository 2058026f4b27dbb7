import type { AddOnRolloutStatus, RolloutEntry, RolloutTarget } from '@outrigger/api';
import { isTemplate, type PinnedRef, toRef } from '../configuration/references.js';
import type { AddOnProjection } from '../observed/add-ons.js';
import { homeOf, type RolloutProjection } from '../observed/rollouts.js';
import { entryRevision, hasGates, assignedTarget, isInWildcard, namedRevision, revisionIn } from '../revisions/assigned.js';
import { isSameRevisionContent, isVersionOnly, targetRefs } from '../revisions/revision.js';
import { FIRST_RENDERER } from '../revisions/target-history.js';
import type { Membership } from '../strategy/membership.js';
import { isLeaving, isLeavingDefault } from '../strategy/overrides.js';
import type { VersionCatalog } from '../versions/catalog.js';

/** The content that the rollout assigns to a cluster now. */
export interface Target {
  /** The configs; undefined while the cluster has no content and is not admitted. Nothing is rendered for such a cluster. */
  readonly configs: readonly PinnedRef[] | undefined;
  readonly version: string;
  /** The number of the revision's renderer; undefined while there is no revision. */
  readonly renderer: number | undefined;
  /** Whether the entry has another target to which the cluster is not admitted yet. */
  readonly isWaiting: boolean;
  /** The content that the hub has assigned to the cluster so far. The cluster keeps this content if the target cannot be used. */
  readonly assigned: readonly PinnedRef[] | undefined;
  /** The revision to which the rollout admits the cluster by name. Undefined if the add-on's annotation already names that revision. */
  readonly admitted: number | undefined;
}

/**
 * Picks the revision for a cluster: the one to which the rollout admits it, otherwise the one assigned earlier. Both come from the rollout
 * and from the add-on's annotation, which only the hub writes. The status is not read, because it is a report. The rollout may be older or
 * newer than the other caches, which is safe because nothing moves without an admission.
 */
export function pickTarget(
  clusterAddOn: AddOnProjection,
  membership: Membership,
  rollout: RolloutProjection | undefined,
  overridden: ReadonlySet<string>,
): Target {
  const status = rollout?.status ?? {};
  const { history } = status;
  const cluster = clusterAddOn.key.namespace ?? '';
  const entry = status.entries?.find(({ name }) => name === membership.entry.name);
  const isGoing = isLeaving(clusterAddOn, membership);
  const target = isGoing ? undefined : revisionIn(history, entry && entryRevision(entry, clusterAddOn));
  // An add-on that is to be removed is no member of the default entry, so the admission of that entry does not cover it.
  const assigned = assignedTarget(status, clusterAddOn, isGoing ? undefined : membership.entry.name);
  const mayMove = !isGoing && (membership.isSettled || assigned === undefined);
  const named = mayMove ? revisionIn(history, namedRevision(entry, cluster)) : undefined;
  const wildcard = mayMove && entry && isCovered(status, cluster, entry) && isInWildcard(entry, cluster) ? target : undefined;
  const granted = isLeavingDefault(clusterAddOn, membership, status) ? undefined : (wildcard ?? named ?? assigned);
  const rest = { assigned: assigned && targetRefs(assigned), admitted: wildcard ? undefined : unwritten(named, clusterAddOn) };
  if (!granted) return { configs: undefined, version: '', renderer: undefined, isWaiting: true, ...rest };
  const isCurrent = target !== undefined && (granted === target || isSameRevisionContent(granted, target, overridden));
  const used = isCurrent ? target : granted;
  const { version = '', renderer = FIRST_RENDERER } = used;
  return { configs: targetRefs(used), version, renderer, isWaiting: target !== undefined && !isCurrent, ...rest };
}

/**
 * Reports whether the wildcard admission of an entry covers a cluster. It does unless another entry lists the cluster as a member. If
 * the entry has gates, it must list the cluster itself, because gates must be evaluated before a new cluster is admitted.
 */
function isCovered(status: AddOnRolloutStatus, cluster: string, entry: RolloutEntry): boolean {
  const home = homeOf(status, cluster);
  return home === undefined ? !hasGates(status, entry) : home.name === entry.name;
}

/**
 * The revision to write to the annotation, if any. A version that no template provides has no content, so the annotation keeps the running
 * revision.
 */
function unwritten(named: RolloutTarget | undefined, { revision }: AddOnProjection): number | undefined {
  return named && named.revision !== revision && !isVersionOnly(named) ? named.revision : undefined;
}

/**
 * The version that the entry requests, if no template provides it. The add-on reports the missing version and keeps running its current
 * content.
 */
export function unofferedVersion({ version, configs = [] }: Target, catalog: VersionCatalog): string | undefined {
  return version === '' || catalog.supported.includes(version) || configs.some(isTemplate) ? undefined : version;
}

/**
 * The configs in the add-on's status, which are used only in reports. Undefined if no content was ever assigned to the add-on; empty if the
 * add-on needs no configs.
 */
export function currentConfigs(clusterAddOn: AddOnProjection): readonly PinnedRef[] | undefined {
  const references = clusterAddOn.status.configReferences;
  if (!references) return undefined;
  return references.flatMap((reference) => {
    const desired = reference.desiredConfig;
    return desired?.specHash
      ? [
          {
            ...toRef({ ...reference, name: desired.name, ...(desired.namespace === undefined ? {} : { namespace: desired.namespace }) }),
            specHash: desired.specHash,
          },
        ]
      : [];
  });
}
