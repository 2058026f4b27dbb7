import type { KubeObject, OwnerReference } from '@outrigger/core';
import type { Live } from '../../live/live.js';

/** Everything a strategy looks at to say what has to happen to one object. */
export interface Situation {
  /** As `prepare` gives it. */
  readonly manifest: KubeObject;
  readonly live: Extract<Live, { readonly state: 'present' | 'absent' }>;
  /** The reference that makes the object ours, and whether it is to carry it. */
  readonly owner: OwnerReference;
  readonly isOwned: boolean;
  /** This very manifest was written before: what it no longer says is gone from the object, which the object itself cannot tell. */
  readonly isWritten: boolean;
  /** What the object looked like after our last write of this manifest (`fingerprint`), as far as this process knows. */
  readonly after: string | undefined;
}

/** One write to the managed cluster. */
export type Write =
  | { readonly type: 'create'; readonly object: KubeObject }
  | { readonly type: 'replace'; readonly object: KubeObject }
  /** For what cannot be changed in place. */
  | { readonly type: 'recreate'; readonly object: KubeObject; readonly uid: string }
  | { readonly type: 'apply'; readonly object: KubeObject; readonly fieldManager: string; readonly force: boolean }
  | {
      readonly type: 'owners';
      readonly references: readonly OwnerReference[];
      readonly uid: string;
      readonly resourceVersion: string;
    };

export type Step =
  | { readonly type: 'settled' }
  | { readonly type: 'write'; readonly write: Write }
  | { readonly type: 'failed'; readonly reason: 'AppliedManifestFailed' | 'AppliedManifestSSAIgnoreFieldError'; readonly message: string };

export const SETTLED: Step = { type: 'settled' };
