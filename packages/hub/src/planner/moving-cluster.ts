import type { ObservedCluster, Phase } from '@outrigger/rules/rollout';

type Admission = NonNullable<ObservedCluster['admission']>;
type TargetReport = ObservedCluster['report'];

/**
 * The assumed outcome of one move. `fails`: the add-on reports a failure after the given time. `leaves`: the cluster becomes unreachable
 * after that time.
 */
export interface Fate {
  readonly outcome: 'arrives' | 'fails' | 'leaves';
  readonly afterMs: number;
}

const MOVING: TargetReport = {
  isFresh: false,
  atTarget: true,
  isDone: false,
  isAvailable: true,
  isHealthSilent: false,
  hasFailed: false,
};
const ARRIVED: TargetReport = { ...MOVING, isDone: true };
const FAILED: TargetReport = { ...MOVING, hasFailed: true };

/** A cluster in flight, as input to the rollout rules. Its report changes according to its assumed outcome. */
export class MovingCluster implements ObservedCluster {
  readonly cluster: string;
  readonly targetRevision: number;
  readonly mayMove = true;
  readonly isElsewhere = false;
  readonly isReturning: boolean;
  readonly isNew = false;
  readonly hasMissedWildcard = false;
  readonly admission: Admission;
  /** The index of the cluster's group in the run. */
  readonly group: number;
  report: TargetReport = MOVING;
  isUnreachable = false;
  soakingSince = 0;
  unreachableSince = 0;
  phase: Phase;
  /** The time at which the assumed outcome changes the report; undefined after the change. */
  #fateAt: number | undefined;
  readonly #outcome: Fate['outcome'];

  /** `fateAt` is the time at which the assumed outcome changes the report. */
  constructor(seen: ObservedCluster, group: number, admission: Admission, phase: Phase, fate: Fate['outcome'], fateAt: number) {
    this.cluster = seen.cluster;
    this.targetRevision = seen.targetRevision;
    this.isReturning = seen.isReturning;
    this.group = group;
    this.admission = admission;
    this.phase = phase;
    this.#outcome = fate;
    this.isUnreachable = seen.isUnreachable;
    if (seen.isUnreachable) this.unreachableSince = seen.unreachableSince;
    else this.#fateAt = fateAt;
  }

  get movingSince(): number {
    return this.admission.since;
  }

  get doneSince(): number {
    return this.soakingSince;
  }

  get fateAt(): number {
    return this.#fateAt ?? Number.POSITIVE_INFINITY;
  }

  /** Changes the report if the time of the assumed outcome has come. */
  meetFate(now: number): void {
    if (this.#fateAt === undefined || this.#fateAt > now) return;
    this.#fateAt = undefined;
    if (this.#outcome === 'fails') {
      this.report = FAILED;
    } else if (this.#outcome === 'leaves') {
      this.isUnreachable = true;
      this.unreachableSince = now;
    } else {
      this.report = ARRIVED;
      this.soakingSince = now;
    }
  }
}

/** Returns an admission at this time. `admittedAt` is empty, because no rule reads the recorded text in a simulated run. */
export function admissionAt(revision: number, now: number): Admission {
  return { revision, admittedAt: '', since: now, unhealthyBefore: false, parkedSince: undefined };
}
