import type { RolloutTarget } from '@outrigger/api';
import { findCondition, parseTime, memoize } from '@outrigger/core';
import type { AddOnProjection } from '../../observed/add-ons.js';
import { type ClusterProjection, isUnreachable } from '../../observed/clusters.js';
import { isVersionOnly } from '../../revisions/revision.js';
import type { RecordedFailure } from '../admissions/failure.js';
import type { Admission, ObservedCluster, TargetReport } from '../input.js';
import type { Stopwatch } from './stopwatch.js';
import type { TargetReader } from './target-report.js';

/** Times at which clusters started their activities, corrected for steps of the wall clock. */
export type ActivityTimes = Pick<Stopwatch, 'wall' | 'since'>;

/** The context that all members of one entry share. */
interface MemberContext {
  /** Whether a cluster certainly belongs to this entry. */
  readonly isSettled: (cluster: string) => boolean;
  readonly clusterOf: (name: string) => ClusterProjection | undefined;
  readonly stopwatch: ActivityTimes;
  /** The time of the wildcard admission, as stored and corrected for clock steps. */
  readonly wildcard: { readonly stored: number; readonly since: number } | undefined;
  /** Returns the position of an add-on in the queue of an automatic way back. */
  readonly wayBackRank?: ((clusterAddOn: AddOnProjection | undefined) => number) | undefined;
}

/** The fields that the record contains about a cluster. */
export type RecordedPlace = Pick<
  ObservedCluster,
  'admission' | 'isElsewhere' | 'isUnwritten' | 'isExcepted' | 'recordedFailure' | 'retarget'
>;

/** A cluster of an entry, as the caches show it. Values that few clusters need are computed on access. */
export class CachedCluster implements ObservedCluster {
  readonly #assigned: RolloutTarget | undefined;
  readonly cluster: string;
  readonly report: TargetReport;
  readonly targetRevision: number;
  readonly #clusterAddOn: AddOnProjection | undefined;
  readonly #place: RecordedPlace;
  readonly #context: MemberContext;

  constructor(cluster: string, { clusterAddOn, assigned }: Member, reader: TargetReader, place: RecordedPlace, context: MemberContext) {
    this.cluster = cluster;
    const report = reader.read(clusterAddOn);
    // Ignore a report about content that the hub has not assigned to this cluster.
    this.report = isGiven(clusterAddOn, assigned, reader, place, context) ? report : withoutAssignment(report);
    this.#assigned = assigned;
    this.targetRevision = reader.revision;
    this.#clusterAddOn = clusterAddOn;
    this.#place = place;
    this.#context = context;
  }

  get isNew(): boolean {
    const { admission, retarget } = this.#place;
    return this.#assigned === undefined && admission === undefined && retarget === undefined;
  }

  get mayMove(): boolean {
    return this.isNew || this.#context.isSettled(this.cluster);
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

  get retarget(): Admission | undefined {
    return this.#place.retarget;
  }

  get isExcepted(): boolean {
    return this.#place.isExcepted === true;
  }

  get recordedFailure(): RecordedFailure | undefined {
    return this.#place.recordedFailure;
  }

  get isReturning(): boolean {
    return this.#assigned !== undefined && this.#assigned.revision > this.targetRevision;
  }

  get wayBackRank(): number | undefined {
    return this.#context.wayBackRank?.(this.#clusterAddOn);
  }

  get isUnreachable(): boolean {
    const cluster = this.#cluster();
    return isGone(cluster) || isUnreachable(cluster);
  }

  get soakingSince(): number {
    const stored = Math.max(this.#conditionTime('Progressing'), this.#conditionTime('Available'));
    return this.#context.stopwatch.since('soaking', this.cluster, stored);
  }

  get doneSince(): number {
    return this.#context.stopwatch.since('soaking', this.cluster, this.#conditionTime('Progressing'));
  }

  get movingSince(): number {
    const { stopwatch, wildcard } = this.#context;
    const clusterAddOn = this.#clusterAddOn;
    if (!wildcard) return this.admission?.since ?? stopwatch.wall;
    if (!clusterAddOn) return stopwatch.wall;
    // If a cluster joins or becomes reachable after the wildcard admission, its move starts at that moment. If a clock step makes the order
    // uncertain, use the later time.
    const ownStart = Math.max(clusterAddOn.createdAt, this.#cluster()?.available?.since ?? 0);
    const isBefore = ownStart <= Math.min(wildcard.stored, wildcard.since);
    // If a gate held the cluster, the cluster was admitted by name, after the wildcard admission.
    const admittedSince = Math.max(wildcard.since, this.admission?.since ?? wildcard.since);
    return isBefore ? admittedSince : Math.max(admittedSince, stopwatch.since('moving', this.cluster, ownStart));
  }

  get unreachableSince(): number {
    const stored = this.#storedAway();
    return stored === undefined ? 0 : this.#context.stopwatch.since('away', this.cluster, stored);
  }

  get hasMissedWildcard(): boolean {
    const { wildcard } = this.#context;
    return wildcard !== undefined && (this.#storedAway() ?? 0) <= Math.max(wildcard.stored, this.#clusterAddOn?.createdAt ?? 0);
  }

  get movedSeconds(): number | undefined {
    const admittedAt = parseTime(this.admission?.admittedAt) ?? this.#context.wildcard?.stored;
    const doneAt = this.#conditionTime('Progressing');
    if (admittedAt === undefined || doneAt === 0) return undefined;
    const movedMs = doneAt - Math.max(admittedAt, this.#clusterAddOn?.createdAt ?? 0);
    return movedMs < 0 ? undefined : movedMs / 1000;
  }

  get doneAt(): number {
    return this.#conditionTime('Progressing');
  }

  #cluster(): ClusterProjection | undefined {
    return this.#context.clusterOf(this.cluster);
  }

  /**
   * The stored time since which the cluster has been unavailable. Undefined if the cluster does not exist or has no Available condition.
   */
  #storedAway(): number | undefined {
    const cluster = this.#cluster();
    return isGone(cluster) ? undefined : cluster?.available?.since;
  }

  #conditionTime(type: string): number {
    return parseTime(findCondition(this.#clusterAddOn?.status.conditions, type)?.lastTransitionTime) ?? 0;
  }
}

/** An add-on of a cluster, and the content that the hub last assigned to it. */
interface Member {
  readonly clusterAddOn: AddOnProjection | undefined;
  readonly assigned: RolloutTarget | undefined;
}

/**
 * Whether the hub has assigned the content of the target to a cluster. It has if a wildcard admission covers the cluster, if the add-on's
 * annotation repeats a named admission, or if the cluster got the content earlier, for example in another entry. For a version that no
 * template provides, the named admission is enough, because there is no content to assign.
 */
function isGiven(
  clusterAddOn: AddOnProjection | undefined,
  assigned: RolloutTarget | undefined,
  reader: TargetReader,
  { admission }: RecordedPlace,
  { wildcard }: MemberContext,
): boolean {
  if (!clusterAddOn || wildcard) return true;
  // Also accept the assigned revision: an add-on whose cluster another entry admitted by a wildcard admission has no annotation.
  if (admission) return [clusterAddOn.revision, assigned?.revision].includes(reader.revision) || isVersionOnly(reader.target);
  return reader.isGivenBy(assigned, clusterAddOn);
}

const withoutAssignment: (report: TargetReport) => TargetReport = memoize((report: TargetReport) => ({
  ...report,
  atTarget: false,
  isDone: false,
  hasFailed: false,
}));

/** A cluster that is deleted or being deleted is treated as unreachable. */
function isGone(cluster: ClusterProjection | undefined): boolean {
  return !cluster || cluster.isDeleting;
}
