import type { ManifestCondition } from '@outrigger/api';
import type { OwnerReference } from '@outrigger/core';
import type { Live, ObjectRef } from '@outrigger/kube';
import type { AppliedWorkRecord } from '../resources/applied-works.js';
import type { WorkRecord } from '../resources/works.js';
import type { Attempt, Attempts } from './attempts.js';
import type { Permission, PermissionCheck } from './executor/check.js';
import type { Inspections } from './inspection/inspection.js';
import type { KindLookup } from './kinds.js';
import type { Treatment } from './manifest/config.js';
import type { PreparedManifest } from './manifest/normalize.js';
import type { Contest } from './ownership/contest.js';

/** One manifest of a work and the known state of its object. */
export interface ManifestState {
  readonly ordinal: number;
  readonly manifest: PreparedManifest;
  readonly lookup: KindLookup;
  /** The reference to the object; undefined unless the cluster is known to serve its kind. */
  readonly ref: ObjectRef | undefined;
  readonly live: Live;
  readonly isTracked: boolean;
  readonly treatment: Treatment;
  readonly isOwned: boolean;
  /** The present status entry of this manifest. */
  readonly before: ManifestCondition | undefined;
  /** Ordinal of an earlier manifest of the work with the same object. */
  readonly duplicateOf: number | undefined;
  readonly attempt: Attempt | undefined;
  /** Set only if the work has an executor. */
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
  /** The work's `deleteOption` keeps the object on the cluster. */
  readonly isOrphan: boolean;
}

/** In-memory state of a work between two passes. */
export interface WorkMemory {
  readonly attempts: Attempts;
  readonly contest: Contest;
  readonly inspections: Inspections;
}

/** All inputs of one pass over a work. */
export interface WorkState {
  readonly name: string;
  readonly work: WorkRecord;
  readonly appliedWork: AppliedWorkRecord | undefined;
  readonly appliedWorkName: string;
  readonly hubHash: string;
  readonly agentId: string;
  readonly manifests: readonly ManifestState[];
  readonly leftovers: readonly Leftover[];
  /** The work still tracks objects that are neither in `manifests` nor in `leftovers`. */
  readonly isTrackingMore: boolean;
  readonly feedback: FeedbackOptions;
  /** Inspections of the workloads that were not ready in the last pass. */
  readonly inspections: Inspections;
  /**
   * The time on the monotonic clock until which this agent leaves the applied work to the agent that took it over; undefined if no agent
   * did.
   */
  readonly appliedWorkLeftUntil: number | undefined;
  /** The time on the monotonic clock from which the agent may write the list of the applied work; undefined if it may write at any time. */
  readonly listFrom: number | undefined;
  /** Why the last write of the applied work was rejected. */
  readonly appliedWorkRefusal: string | undefined;
  /** Objects of the applied work that could not be removed, and why. */
  readonly releaseProblems: readonly string[];
}

/** A work that was deleted from the hub while its objects are still tracked. */
export interface GoneWork {
  readonly name: string;
  readonly work?: undefined;
}

export interface FeedbackOptions {
  /** Report lists and objects as JSON instead of rejecting them. */
  readonly isRawJsonAllowed: boolean;
  readonly maxJsonLength: number;
  /** How long a workload may be not ready before the agent reads its pods for the reason. */
  readonly reasonAfterMs: number;
}

/** A work with its applied work on the cluster. The agent writes objects only in this state, because the applied work owns them. */
export interface WritableWork extends WorkState {
  readonly appliedWork: AppliedWorkRecord;
  readonly owner: OwnerReference;
}
