import { EVERY_CLUSTER, type RolloutEntry, type RolloutTarget, UNKNOWN_VERSION } from '@outrigger/api';
import { type PinnedRef, groupResource, isTemplate, refKey, toRef, usedRefs } from '../../../configuration/references.js';
import type { AddOnRecord } from '../../../resources/add-ons.js';
import type { RolloutRecord } from '../../../resources/rollouts.js';
import { isVersionOnly, targetRefs } from '../../../revisions/revision.js';
import { FIRST_RENDERER } from '../../../revisions/target-history.js';
import type { Membership } from '../../../strategy/membership.js';
import { followingOf } from '../../../strategy/following.js';
import { isLeaving, isOwnField } from '../../../strategy/overrides.js';
import type { VersionCatalog } from '../../../versions/catalog.js';

/** The content from the fleet that a cluster is to have now. */
export interface Target {
  /** Undefined while it has none and its turn has not come: then nothing is rendered. */
  readonly configs: readonly PinnedRef[] | undefined;
  readonly version: string;
  /** The renderer of the revision; undefined if no stored revision has this content. */
  readonly renderer: number | undefined;
  /** The record asks for other content than this, and has not let the cluster go to it yet. */
  readonly isWaiting: boolean;
}

/**
 * Picks the revision a cluster has: the one the record lets it go to, else what its own status says. A record that is older or newer than
 * the caches is safe: without its word nothing moves.
 */
export function pickTarget(
  addOn: AddOnRecord,
  membership: Membership,
  rollout: RolloutRecord | undefined,
  overridden: ReadonlySet<string>,
): Target {
  const entry = rollout?.status.entries?.find(({ name }) => name === membership.entry.name);
  const history = rollout?.status.history ?? [];
  const isGoing = isLeaving(addOn, membership);
  const target = isGoing ? undefined : revisionOf(history, entry && targetRevision(entry, addOn));
  const current = currentConfigs(addOn);

  if (target && isSame(target, current, overridden) && isSameVersion(target, addOn, membership)) return go(target);
  const mayMove = !isGoing && (membership.isSettled || current === undefined);
  const admitted = entry && mayMove ? revisionOf(history, admittedRevision(entry, addOn)) : undefined;
  if (admitted) return { ...go(admitted), isWaiting: admitted !== target };
  if (current) {
    const renderer = history.find((one) => isSame(one, current, overridden))?.renderer;
    return { configs: current, version: addOn.status.installVersion ?? '', renderer, isWaiting: target !== undefined };
  }
  return { configs: undefined, version: '', renderer: undefined, isWaiting: true };
}

/** A version of the fleet's that nobody offers, where that is what the add-on is to have: it says so and keeps what it runs. */
export function unofferedVersion(addOn: AddOnRecord, target: Target, catalog: VersionCatalog): string | undefined {
  const { version, configs = [] } = target;
  if (version === '' || catalog.supported.includes(version)) return undefined;
  if (!configs.some(isTemplate)) return version;
  return version === addOn.status.installVersion && wasNeverFollowed(addOn) ? version : undefined;
}

/** What runs is complete, and is not the version acted on last. */
function wasNeverFollowed({ status: { currentVersion, configReferences = [] } }: AddOnRecord): boolean {
  const isSettled = configReferences.every(
    ({ desiredConfig, lastAppliedConfig }) =>
      desiredConfig?.specHash === lastAppliedConfig?.specHash && desiredConfig?.name === lastAppliedConfig?.name,
  );
  return currentVersion === UNKNOWN_VERSION && isSettled;
}

function go(target: RolloutTarget): Target {
  return { configs: targetRefs(target), version: target.version ?? '', renderer: target.renderer ?? FIRST_RENDERER, isWaiting: false };
}

function revisionOf(history: readonly RolloutTarget[], revision: number | undefined): RolloutTarget | undefined {
  return revision === undefined ? undefined : history.find((target) => target.revision === revision);
}

/** The revision the entry has for what follows it as far as this add-on does. */
function targetRevision(entry: RolloutEntry, addOn: AddOnRecord): number | undefined {
  const { targetRevision: all, ownConfigsRevision: version, handMadeRevision: none } = entry;
  return { all, version, none }[followingOf(addOn)] ?? all;
}

/** The revision the record lets this cluster go to: by name, which may be another than the target, or with everybody. */
function admittedRevision(entry: RolloutEntry, addOn: AddOnRecord): number | undefined {
  const admissions = entry.inFlight ?? [];
  const star = admissions.find(({ cluster, revision }) => cluster === EVERY_CLUSTER && revision === entry.targetRevision);
  if (star) return targetRevision(entry, addOn);
  return admissions.find(({ cluster }) => cluster === addOn.key.namespace)?.revision;
}

/** What the add-on's own status says it uses; undefined before it was ever given anything, empty where it needs nothing. */
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

/** A template can get another version and nothing else. One that has none, or an add-on that never told its own, says nothing about it. */
function isSameVersion(target: RolloutTarget, addOn: AddOnRecord, membership: Membership): boolean {
  if (isOwnField(addOn, 'installVersion', membership)) return true;
  const { version = '' } = target;
  const { installVersion = '' } = addOn.status;
  return version === installVersion || (targetRefs(target).some(isTemplate) && (version === '' || installVersion === ''));
}

/** Whether the status says the target already; kinds a person overrides are left out of the comparison. */
export function isSame(target: RolloutTarget, current: readonly PinnedRef[] | undefined, overridden: ReadonlySet<string>): boolean {
  if (!current) return false;
  const keepsTemplate = isVersionOnly(target);
  const isCompared = (ref: PinnedRef): boolean => !overridden.has(groupResource(ref)) && !(keepsTemplate && isTemplate(ref));
  const keys = (refs: readonly PinnedRef[]): ReadonlySet<string> =>
    new Set(refs.filter(isCompared).map((ref) => `${refKey(ref)}@${ref.specHash}`));
  const wanted = keys(targetRefs(target));
  const standing = keys(current);
  const isSameOrder = usedRefs(targetRefs(target).filter(isCompared)) === usedRefs(current.filter(isCompared));
  return isSameOrder && wanted.size === standing.size && [...wanted].every((key) => standing.has(key));
}
