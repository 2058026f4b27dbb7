import type { AddOnRolloutStatus, RolloutTarget } from '@outrigger/api';
import { type PinnedRef, isTemplate, toRef } from '../../../configuration/references.js';
import type { AddOnRecord } from '../../../resources/add-ons.js';
import type { RolloutRecord } from '../../../resources/rollouts.js';
import { entryRevision, hasWildcard, heldTarget, homeOf, namedRevision, revisionIn } from '../../../revisions/granted.js';
import { isSameRevisionContent, isVersionOnly, targetRefs } from '../../../revisions/revision.js';
import { FIRST_RENDERER } from '../../../revisions/target-history.js';
import type { Membership } from '../../../strategy/membership.js';
import { isLeaving } from '../../../strategy/overrides.js';
import type { VersionCatalog } from '../../../versions/catalog.js';

/** The content from the fleet that a cluster is to have now. */
export interface Target {
  /** Undefined while it has none and its turn has not come: then nothing is rendered. */
  readonly configs: readonly PinnedRef[] | undefined;
  readonly version: string;
  /** The renderer of the revision; undefined while there is none. */
  readonly renderer: number | undefined;
  /** The record asks for other content than this, and has not admitted the cluster to it yet. */
  readonly isWaiting: boolean;
  /** The content the cluster had before this admission, as the hub granted it: what stays in use where the target cannot be followed. */
  readonly held: readonly PinnedRef[] | undefined;
  /** The revision the cluster is admitted to by name, where its annotation does not say so yet. */
  readonly admitted: number | undefined;
}

/**
 * Picks the revision a cluster has: the one the record admits it to, else the one it was given before. Both come from the record and the
 * add-on's annotation, which only the hub writes; the status is a report and is not asked. A record that is older or newer than the caches
 * is safe: without an admission nothing moves.
 */
export function pickTarget(
  addOn: AddOnRecord,
  membership: Membership,
  rollout: RolloutRecord | undefined,
  overridden: ReadonlySet<string>,
): Target {
  const status = rollout?.status ?? {};
  const { history } = status;
  const cluster = addOn.key.namespace ?? '';
  const entry = status.entries?.find(({ name }) => name === membership.entry.name);
  const isGoing = isLeaving(addOn, membership);
  const target = isGoing ? undefined : revisionIn(history, entry && entryRevision(entry, addOn));
  const held = heldTarget(status, addOn, membership.entry.name);
  const mayMove = !isGoing && (membership.isSettled || held === undefined);
  const named = mayMove ? revisionIn(history, namedRevision(entry, cluster)) : undefined;
  const wildcard = mayMove && entry && isCovered(status, cluster, entry.name) && hasWildcard(entry) ? target : undefined;
  const granted = wildcard ?? named ?? held;
  const rest = { held: held && targetRefs(held), admitted: wildcard ? undefined : unwritten(named, addOn) };
  if (!granted) return { configs: undefined, version: '', renderer: undefined, isWaiting: true, ...rest };
  const isCurrent = target !== undefined && (granted === target || isSameRevisionContent(granted, target, overridden));
  const used = isCurrent ? target : granted;
  const { version = '', renderer = FIRST_RENDERER } = used;
  return { configs: targetRefs(used), version, renderer, isWaiting: target !== undefined && !isCurrent, ...rest };
}

/** Whether the wildcard admission of an entry is meant for a cluster: no other entry has recorded it. */
function isCovered(status: AddOnRolloutStatus, cluster: string, entryName: string): boolean {
  const home = homeOf(status, cluster);
  return home === undefined || home.name === entryName;
}

/** A version that no template offers has no content, so the annotation goes on saying what runs. */
function unwritten(named: RolloutTarget | undefined, { revision }: AddOnRecord): number | undefined {
  return named && named.revision !== revision && !isVersionOnly(named) ? named.revision : undefined;
}

/** A version the fleet asks for that no template offers, where that is what the add-on is to have: it says so and keeps what it runs. */
export function unofferedVersion({ version, configs = [] }: Target, catalog: VersionCatalog): string | undefined {
  return version === '' || catalog.supported.includes(version) || configs.some(isTemplate) ? undefined : version;
}

/** What the add-on's status reports to use, for reports only; undefined before it was given anything, empty where it needs nothing. */
export function currentConfigs(addOn: AddOnRecord): readonly PinnedRef[] | undefined {
  const references = addOn.status.configReferences;
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
