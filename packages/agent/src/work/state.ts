import type { ManifestConfig } from '@outrigger/api';
import type { Kind, KubeObject } from '@outrigger/core';
import type { Outcomes } from '@outrigger/kube';
import type { Live, ObjectRef } from '../live/live-objects.js';
import type { AppliedWorkRecord } from '../resources/applied-works.js';
import type { WorkRecord } from '../resources/works.js';

/** One manifest of a work and what became of it. */
export interface ManifestState {
  readonly ordinal: number;
  readonly manifest: KubeObject;
  /** Undefined while the cluster does not serve its kind, as far as is known. */
  readonly ref: ObjectRef | undefined;
  readonly live: Live;
  readonly isTracked: boolean;
  readonly config: Pick<ManifestConfig, 'feedbackRules' | 'updateStrategy'>;
}

/** Everything one pass over a work may look at. */
export interface WorkState {
  readonly name: string;
  /** Absent once it is gone from the hub; what it left behind is still cleaned up. */
  readonly work: WorkRecord | undefined;
  readonly applied: AppliedWorkRecord | undefined;
  readonly appliedName: string;
  readonly hubHash: string;
  readonly agentId: string;
  readonly manifests: readonly ManifestState[];
  /** What the work still has on the cluster beyond its manifests, by the list it keeps. */
  readonly leftovers: readonly Leftover[];
  readonly outcomes: Outcomes;
}

export interface Leftover {
  readonly ref: ObjectRef;
  readonly uid: string;
  readonly live: Live;
  readonly isTracked: boolean;
}

/** Resolved kinds of the managed cluster, by `apiVersion/kind` and by `resource.group`; asking for an unknown one is an effect. */
export interface KnownKinds {
  byType(apiVersion: string, kind: string): Kind | 'unknown' | 'unserved';
  byResource(group: string, resource: string): Kind | undefined;
}
