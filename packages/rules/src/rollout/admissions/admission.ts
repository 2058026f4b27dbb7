import type { Admission, ObservedCluster } from '../input.js';

/** The time of a step, also formatted for the rollout's status. */
export interface Instant {
  readonly wall: number;
  readonly time: string;
}

/** If an add-on becomes available after its move, its health counts from then on, so the add-on must stay available. */
export function withHealth(admission: Admission, { report }: ObservedCluster): Admission {
  return admission.unhealthyBefore && report.isDone && report.isAvailable ? { ...admission, unhealthyBefore: false } : admission;
}

export function parked(admission: Admission, { time }: Instant): Admission {
  return admission.parkedSince === undefined ? { ...admission, parkedSince: time } : admission;
}

export function returned(admission: Admission, { wall, time }: Instant): Admission {
  return admission.parkedSince === undefined ? admission : { ...admission, admittedAt: time, since: wall, parkedSince: undefined };
}

export function admit({ targetRevision, report }: ObservedCluster, { wall, time }: Instant): Admission {
  const unhealthyBefore = !report.isFresh && !report.isAvailable;
  return { revision: targetRevision, admittedAt: time, since: wall, unhealthyBefore, parkedSince: undefined };
}
