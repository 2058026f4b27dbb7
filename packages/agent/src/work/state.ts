import type { ManifestCondition } from '@outrigger/api';
import type { OwnerReference } from '@outrigger/core';
import type { Live } from '../live/live.js';
import type { ObjectRef } from '../live/object-ref.js';
import type { AppliedWorkRecord } from '../resources/applied-works.js';
import type { WorkRecord } from '../resources/works.js';
import type { Attempt } from './attempts.js';
import type { Permission, PermissionCheck } from './executor/check.js';
import type { KindLookup } from './kinds.js';
import type { Treatment } from './manifest/config.js';
import type { PreparedManifest } from './manifest/normalize.js';

/** One manifest of a work and what is known of its object. */
export interface ManifestState {
  readonly ordinal: number;
  readonly manifest: PreparedManifest;
  readonly lookup: KindLookup;
  /** Undefined while the cluster does not serve its kind, as far as is known. */
  readonly ref: ObjectRef | undefined;
  readonly live: Live;
  readonly isTracked: boolean;
  readonly treatment: Treatment;
  readonly isOwned: boolean;
  /** What the status says of this manifest now. */
  readonly before: ManifestCondition | undefined;
  /** An earlier manifest of the work that is the same object. */
  readonly duplicateOf: number | undefined;
  readonly attempt: Attempt | undefined;
  /** Only where the work has an executor. */
  readonly check: PermissionCheck | undefined;
  readonly permission: Permission | undefined;
  /** Whether the executor may `get` the object; without an executor it may. Unless it may, nothing of `live` is acted on or reported. */
  readonly reading: Reading;
}

export type Reading = 'allowed' | 'refused' | 'unasked';

/** Something the list of applied resources names and no manifest asks for. */
export interface Leftover {
  readonly ref: ObjectRef;
  /** Empty where it was listed before it existed. */
  readonly uid: string;
  readonly live: Live;
  readonly isTracked: boolean;
  /** The work says to leave it behind. */
  readonly isOrphan: boolean;
}

/** Everything one pass over a work may look at. */
export interface WorkState {
  readonly name: string;
  readonly work: WorkRecord;
  readonly applied: AppliedWorkRecord | undefined;
  readonly appliedName: string;
  readonly hubHash: string;
  readonly agentId: string;
  readonly manifests: readonly ManifestState[];
  readonly leftovers: readonly Leftover[];
  /** Objects are still watched for the work that neither list names. */
  readonly isTrackingMore: boolean;
  readonly feedback: FeedbackOptions;
  /** Until when the record is left to the agent that took it from us, by the monotonic clock; undefined where no agent did. */
  readonly recordLeftUntil: number | undefined;
  /** From when on the list of the record may be written, by the monotonic clock; undefined for at any time. */
  readonly listFrom: number | undefined;
  /** Why the record could not be written when it was last tried. */
  readonly recordRefusal: string | undefined;
  /** What of the record's objects could not be removed, and why. */
  readonly releaseProblems: readonly string[];
}

/** A work that is gone from the hub while its objects are still watched. */
export interface GoneWork {
  readonly name: string;
  readonly work?: undefined;
}

export interface FeedbackOptions {
  /** Report lists and objects as JSON instead of refusing them. */
  readonly isRawJsonAllowed: boolean;
  readonly maxJsonLength: number;
}

/** A work that has its record on the cluster: only then are objects written, because the record owns them. */
export interface RecordedWork extends WorkState {
  readonly applied: AppliedWorkRecord;
  readonly owner: OwnerReference;
}
