import { ADDON_GROUP, type RolloutTarget, UNKNOWN_VERSION } from '@outrigger/api';
import { findCondition, parseTime } from '@outrigger/core';
import { TEMPLATE_RESOURCE, groupResource, isTemplate, toRef } from '../../configuration/references.js';
import type { AddOnRecord } from '../../resources/add-ons.js';
import { type ClusterRecord, isUnreachable } from '../../resources/clusters.js';
import type { ClusterObservation } from '../../rollout/phase.js';
import type { StrategyEntry } from '../../strategy/entries.js';
import { ownKinds } from '../../strategy/overrides.js';
import type { Member } from './members.js';
import { isVersionOnly, targetRefs } from '../../revisions/revision.js';

/** Reads the add-ons of one entry against one target; what their status says of another target counts for nothing. */
export class TargetReader {
  readonly #entry: StrategyEntry;
  readonly #target: RolloutTarget;
  /** Most add-ons of a fleet share one list of references (the cache keeps equal ones once), so each is compared once. */
  readonly #compared = new Map<unknown, boolean>();

  constructor(entry: StrategyEntry, target: RolloutTarget) {
    this.#entry = entry;
    this.#target = target;
  }

  /** The same add-ons read against another target. */
  against(target: RolloutTarget): TargetReader {
    return new TargetReader(this.#entry, target);
  }

  /** `isRecorded`: the record names the cluster, so that its times are asked for. */
  observe({ cluster, addOn, record, isSettled }: Member, isRecorded: boolean): ClusterObservation {
    const conditions = addOn?.status.conditions;
    const isFresh = !addOn?.status.configReferences?.length;
    const atTarget = addOn !== undefined && this.speaksOf(addOn);
    const progressing = atTarget ? findCondition(conditions, 'Progressing') : undefined;
    const available = findCondition(conditions, 'Available');
    const isDone = addOn !== undefined && progressing?.reason === 'Succeed' && isApplied(addOn);
    const isAvailable = available?.status === 'True';
    return {
      cluster,
      createdAt: addOn?.createdAt,
      isFresh,
      mayMove: isSettled || isFresh,
      atTarget,
      isDone,
      doneAt: isRecorded && isDone ? parseTime(progressing?.lastTransitionTime) : undefined,
      isAvailable,
      availableSince: isAvailable ? (isRecorded ? parseTime(available.lastTransitionTime) : 0) : undefined,
      isHealthSilent: addOn !== undefined && (available === undefined || isDependencyMissing(addOn)),
      hasFailed: progressing?.reason === 'Failed',
      unreachableSince: unreachableSince(record),
      reachableSince: record?.available?.status === 'True' ? record.available.since : undefined,
    };
  }

  /** Whether the add-on's own status names the target; what the add-on decides itself is not compared. */
  speaksOf(addOn: AddOnRecord): boolean {
    const own = ownKinds(addOn, { entry: this.#entry, isUnselected: false });
    if (own.size > 0) return this.#compare(addOn, own);
    const { configReferences } = addOn.status;
    // An empty list is compared each time: the condition that goes with it is not part of it.
    if (!configReferences?.length) return this.#compare(addOn, own);
    const known = this.#compared.get(configReferences) ?? this.#compare(addOn, own, false);
    this.#compared.set(configReferences, known);
    return known && this.#isVersion(addOn, own);
  }

  #compare(addOn: AddOnRecord, own: ReadonlySet<string>, withVersion = true): boolean {
    const references = addOn.status.configReferences ?? [];
    const refs = targetRefs(this.#target).filter((ref) => !own.has(groupResource(ref)));
    if (withVersion && !this.#isVersion(addOn, own)) return false;
    if (references.length === 0 && refs.length === 0) return findCondition(addOn.status.conditions, 'Configured') !== undefined;
    // A version nobody offers has no template: what ran before goes on running, and its reference says nothing about the target.
    const hasNoTemplate = isVersionOnly(this.#target);
    const theirs = references.filter((ref) => !own.has(groupResource(toRef(ref))) && !(hasNoTemplate && isTemplate(toRef(ref))));
    if (theirs.length !== refs.length) return false;
    const desired = new Set(theirs.map(({ group = '', resource, desiredConfig }) => refText({ group, resource, ...desiredConfig })));
    return refs.every((ref) => desired.has(refText(ref)));
  }

  #isVersion(addOn: AddOnRecord, own: ReadonlySet<string>): boolean {
    const { version = '' } = this.#target;
    return version === '' || own.has(TEMPLATE_KIND) || addOn.status.installVersion === version;
  }
}

const TEMPLATE_KIND = groupResource({ group: ADDON_GROUP, resource: TEMPLATE_RESOURCE });

function refText(ref: {
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly specHash?: string;
}): string {
  return `${ref.group}/${ref.resource}/${ref.namespace ?? ''}/${ref.name ?? ''}@${ref.specHash ?? ''}`;
}

/** Done means that the content in use is the content asked for, version and all. */
function isApplied({ status }: AddOnRecord): boolean {
  if (status.currentVersion === UNKNOWN_VERSION) return false;
  return (status.configReferences ?? []).every(
    ({ desiredConfig, lastAppliedConfig }) => desiredConfig?.specHash === lastAppliedConfig?.specHash,
  );
}

function isDependencyMissing(addOn: AddOnRecord): boolean {
  const degraded = findCondition(addOn.status.conditions, 'Degraded');
  return degraded?.status === 'True' && degraded.reason === 'RequiredDependencyNotSatisfied';
}

/** A cluster that is gone or going cannot be reached either. */
function unreachableSince(cluster: ClusterRecord | undefined): number | undefined {
  if (!cluster || cluster.isDeleting) return 0;
  return isUnreachable(cluster) ? cluster.available?.since : undefined;
}
