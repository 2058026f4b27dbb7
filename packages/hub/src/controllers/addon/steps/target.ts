import { EVERY_CLUSTER, type RolloutEntry, type RolloutTarget } from '@outrigger/api';
import { type PinnedRef, groupResource, isTemplate, toRef } from '../../../configuration/references.js';
import { type AddOnRecord, isPersons } from '../../../resources/add-ons.js';
import type { RolloutRecord } from '../../../resources/rollouts.js';
import type { Membership } from '../../../strategy/membership.js';

/** The content from the fleet that a cluster is to have now. */
export interface Target {
  /** Undefined while it has none and its turn has not come: then nothing is rendered. */
  readonly configs: readonly PinnedRef[] | undefined;
  readonly version: string;
  /** The record asks for other content than this, and has not let the cluster go to it yet. */
  readonly isWaiting: boolean;
}

/**
 * Picks the revision a cluster has: the target of its entry if the record lets it go there, else what its own status says, else (while a
 * rollout is held up) the last one that completed. A record that is older or newer than the caches is safe: without its word nothing moves.
 */
export function pickTarget(
  addOn: AddOnRecord,
  membership: Membership,
  rollout: RolloutRecord | undefined,
  overridden: ReadonlySet<string>,
): Target {
  const entry = rollout?.status.entries?.find(({ name }) => name === membership.entry.name);
  const history = rollout?.status.history ?? [];
  const target = revisionOf(history, entry?.targetRevision);
  const current = currentConfigs(addOn);

  if (target && isSame(target, current, overridden) && isSameVersion(target, addOn)) return go(target);
  const mayMove = membership.isSettled || current === undefined;
  if (target && entry && mayMove && isAdmitted(entry, addOn.key.namespace ?? '')) return go(target);
  if (current) return { configs: current, version: addOn.status.installVersion ?? '', isWaiting: target !== undefined };
  const fallback = isHeld(entry) ? revisionOf(history, entry?.completedRevision) : undefined;
  if (fallback) return { ...go(fallback), isWaiting: true };
  return { configs: undefined, version: '', isWaiting: true };
}

function go(target: RolloutTarget): Target {
  return { configs: pinned(target), version: target.version ?? '', isWaiting: false };
}

function revisionOf(history: readonly RolloutTarget[], revision: number | undefined): RolloutTarget | undefined {
  return revision === undefined ? undefined : history.find((target) => target.revision === revision);
}

function isAdmitted(entry: RolloutEntry, cluster: string): boolean {
  return (entry.inFlight ?? []).some((admitted) => admitted.cluster === cluster || admitted.cluster === EVERY_CLUSTER);
}

function isHeld(entry: RolloutEntry | undefined): boolean {
  return entry?.state === 'Paused' || entry?.state === 'Halted';
}

export function pinned(target: RolloutTarget): readonly PinnedRef[] {
  return (target.configs ?? []).map((ref) => ({ ...toRef(ref), specHash: ref.specHash }));
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

/** The version of a template is part of its choice; only what another manager renders can change version and nothing else. */
function isSameVersion(target: RolloutTarget, addOn: AddOnRecord): boolean {
  if (pinned(target).some(isTemplate) || isPersons(addOn, 'installVersion')) return true;
  return (target.version ?? '') === (addOn.status.installVersion ?? '');
}

/** Whether the status says the target already; kinds a person overrides are left out of the comparison. */
export function isSame(target: RolloutTarget, current: readonly PinnedRef[] | undefined, overridden: ReadonlySet<string>): boolean {
  if (!current) return false;
  const key = (refs: readonly PinnedRef[]): string =>
    refs
      .filter((ref) => !overridden.has(groupResource(ref)))
      .map((ref) => `${groupResource(ref)}/${ref.namespace}/${ref.name}@${ref.specHash}`)
      .sort()
      .join();
  return key(pinned(target)) === key(current);
}
