import type { ManifestCondition } from '@outrigger/api';
import type { OwnerReference } from '@outrigger/core';
import type { Live, ObjectRef } from '@outrigger/kube';
import type { AppliedWorkProjection } from '../resources/applied-works.js';
import type { WorkProjection } from '../resources/works.js';
import type { Attempt, Attempts } from './attempts.js';
import type { Permission, PermissionCheck } from './executor/check.js';
import type { Inspections } from './inspection/inspection.js';
import type { KindLookup } from './kinds.js';
import type { Treatment } from './manifest/config.js';
import type { PreparedManifest } from './manifest/normalize.js';
import type { Contest } from './ownership/contest.js';

/** A manifest of a work and the known state of its object. */
export interface ManifestState {
  readonly ordinal: number;
  readonly manifest: PreparedManifest;
  readonly lookup: KindLookup;
  /** The reference to the object; undefined if the cluster is not known to serve its kind. */
  readonly ref: ObjectRef | undefined;
  readonly live: Live;
  readonly isTracked: boolean;
  readonly treatment: Treatment;
  readonly isOwned: boolean;
  /** The current status entry of this manifest. */
  readonly before: ManifestCondition | undefined;
  /** The ordinal of an earlier manifest of the work that describes the same object. */
  readonly duplicateOf: number | undefined;
  readonly attempt: Attempt | undefined;
  /** The permission check of the executor; undefined if the work has no executor. */
  readonly check: PermissionCheck | undefined;
  readonly permission: Permission | undefined;
  /**
   * Whether the executor may `get` the object; always allowed without an executor. If it is not allowed, the agent neither acts on `live`
   * nor reports it.
   */
  readonly reading: Reading;
}

export type Reading = 'allowed' | 'refused' | 'unasked';

/** An object in the list of applied resources that no manifest names. */
export interface Leftover {
  readonly ref: ObjectRef;
  /** The UID of the object; empty if the applied work listed the object before it was created. */
  readonly uid: string;
  readonly live: Live;
  readonly isTracked: boolean;
  /** Whether the work's `deleteOption` keeps the object on the cluster. */
  readonly isOrphan: boolean;
}

/** The in-memory state of a work between two passes. */
export interface WorkMemory {
  readonly attempts: Attempts;
  readonly contest: Contest;
  readonly inspections: Inspections;
}

/** Everything that one pass over a work observes. */
export interface WorkState {
  readonly name: string;
  readonly work: WorkProjection;
  readonly appliedWork: AppliedWorkProjection | undefined;
  readonly appliedWorkName: string;
  readonly hubHash: string;
  readonly agentId: string;
  readonly manifests: readonly ManifestState[];
  readonly leftovers: readonly Leftover[];
  /** Whether the work still tracks objects that are neither in `manifests` nor in `leftovers`. */
  readonly isTrackingMore: boolean;
  readonly feedback: FeedbackOptions;
  /** The inspections of the workloads that were not ready in the last pass. */
  readonly inspections: Inspections;
  /** The monotonic time until which this agent leaves the applied work to the agent that took it over; undefined if no agent did. */
  readonly appliedWorkLeftUntil: number | undefined;
  /** The monotonic time from which the agent may write the list of the applied work; undefined if it may write at any time. */
  readonly listFrom: number | undefined;
  /** The reason why the last write to the applied work was rejected. */
  readonly appliedWorkRefusal: string | undefined;
  /** The objects of the applied work that could not be removed, each with the reason. */
  readonly releaseProblems: readonly string[];
}

/** A work that was deleted from the hub while its objects are still tracked. */
export interface GoneWork {
  readonly name: string;
  readonly work?: undefined;
}

export interface FeedbackOptions {
  /** Whether to report lists and objects as JSON instead of rejecting them. */
  readonly isRawJsonAllowed: boolean;
  readonly maxJsonLength: number;
  /** The time for which a workload must be unready before the agent reads its pods to find the reason. */
  readonly reasonAfterMs: number;
}

/** A work with its applied work on the cluster. The agent writes objects only in this state, because the applied work owns them. */
export interface WritableWork extends WorkState {
  readonly appliedWork: AppliedWorkProjection;
  readonly owner: OwnerReference;
}
