import type { RolloutTarget } from '@outrigger/api';
import { findCondition, parseTime, memoize } from '@outrigger/core';
import { type AddOnRecord, type ClusterRecord, isUnreachable } from '@outrigger/rules/observed';
import type { Admission, ClusterObservation, TargetReport } from '@outrigger/rules/rollout';
import { isVersionOnly } from '@outrigger/rules/revisions';
import type { TargetReader } from './observation.js';
import type { Stopwatch } from './stopwatch.js';

/** The context that all members of one entry share. */
export interface Surroundings {
  /** False while a cluster may belong to another entry. */
  readonly isSettled: (cluster: string) => boolean;
  readonly clusterOf: (name: string) => ClusterRecord | undefined;
  readonly stopwatch: Stopwatch;
  /** The time of the wildcard admission: as recorded, and on the hub's clock. */
  readonly star: { readonly stored: number; readonly since: number } | undefined;
}

/** How the record lists a cluster. */
export type RecordedPlace = Pick<ClusterObservation, 'admission' | 'isElsewhere' | 'isUnwritten'>;

/** A member of an entry as input to the rollout rules. Values that are not needed for every cluster are computed on access. */
export class ObservedMember implements ClusterObservation {
  readonly #held: RolloutTarget | undefined;
  readonly cluster: string;
  readonly said: TargetReport;
  readonly targetRevision: number;
  readonly #addOn: AddOnRecord | undefined;
  readonly #place: RecordedPlace;
  readonly #around: Surroundings;

  constructor(cluster: string, { addOn, held }: MemberGrant, reader: TargetReader, place: RecordedPlace, around: Surroundings) {
    this.cluster = cluster;
    const said = reader.read(addOn);
    // A report about content that the hub has not given the cluster says nothing about the target.
    this.said = isGiven(addOn, held, reader, place, around) ? said : withoutGrant(said);
    this.#held = held;
    this.targetRevision = reader.revision;
    this.#addOn = addOn;
    this.#place = place;
    this.#around = around;
  }

  get isNew(): boolean {
    return this.#held === undefined && this.#place.admission === undefined;
  }

  get mayMove(): boolean {
    return this.isNew || this.#around.isSettled(this.cluster);
  }

  get admission(): Admission | undefined {
    return this.#place.admission;
  }

  get isElsewhere(): boolean {
    return this.#place.isElsewhere;
  }

  get isUnwritten(): boolean {
    return this.#place.isUnwritten === true;
  }

  get isReturning(): boolean {
    return this.#held !== undefined && this.#held.revision > this.targetRevision;
  }

  get isUnreachable(): boolean {
    const record = this.#record();
    return isGone(record) || isUnreachable(record);
  }

  get soakingSince(): number {
    const stored = Math.max(this.#conditionTime('Progressing'), this.#conditionTime('Available'));
    return this.#around.stopwatch.since('soaking', this.cluster, stored);
  }

  get doneSince(): number {
    return this.#around.stopwatch.since('soaking', this.cluster, this.#conditionTime('Progressing'));
  }

  get movingSince(): number {
    const { stopwatch, star } = this.#around;
    const addOn = this.#addOn;
    if (!star) return this.admission?.since ?? stopwatch.wall;
    if (!addOn) return stopwatch.wall;
    // A cluster that joins or comes back after the wildcard admission is timed from then. If a step of the clock makes the order uncertain,
    // the later time counts.
    const ownStart = Math.max(addOn.createdAt, this.#record()?.available?.since ?? 0);
    const isBefore = ownStart <= Math.min(star.stored, star.since);
    return isBefore ? star.since : Math.max(star.since, stopwatch.since('moving', this.cluster, ownStart));
  }

  get unreachableSince(): number {
    const stored = this.#storedAway();
    return stored === undefined ? 0 : this.#around.stopwatch.since('away', this.cluster, stored);
  }

  get hasMissedStar(): boolean {
    const { star } = this.#around;
    return star !== undefined && (this.#storedAway() ?? 0) <= Math.max(star.stored, this.#addOn?.createdAt ?? 0);
  }

  #record(): ClusterRecord | undefined {
    return this.#around.clusterOf(this.cluster);
  }

  /** Undefined if the cluster is gone or has no Available condition. */
  #storedAway(): number | undefined {
    const record = this.#record();
    return isGone(record) ? undefined : record?.available?.since;
  }

  #conditionTime(type: string): number {
    return parseTime(findCondition(this.#addOn?.status.conditions, type)?.lastTransitionTime) ?? 0;
  }
}

/** An add-on of a cluster, and the content that the hub has given it so far. */
export interface MemberGrant {
  readonly addOn: AddOnRecord | undefined;
  readonly held: RolloutTarget | undefined;
}

/**
 * Whether the hub has given a cluster the content of the target: by a wildcard admission, by a named admission that its annotation repeats,
 * or earlier. For a version that no template offers, the named admission is enough: it has no content to give.
 */
function isGiven(
  addOn: AddOnRecord | undefined,
  held: RolloutTarget | undefined,
  reader: TargetReader,
  { admission }: RecordedPlace,
  { star }: Surroundings,
): boolean {
  if (!addOn || star) return true;
  if (admission) return addOn.revision === reader.revision || isVersionOnly(reader.target);
  return reader.isGivenBy(held, addOn);
}

const withoutGrant: (said: TargetReport) => TargetReport = memoize((said: TargetReport) => ({
  ...said,
  atTarget: false,
  isDone: false,
  hasFailed: false,
}));

/** A cluster that is deleted or being deleted counts as unreachable. */
function isGone(record: ClusterRecord | undefined): boolean {
  return !record || record.isDeleting;
}
