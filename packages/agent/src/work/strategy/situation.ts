import type { KubeObject, OwnerReference } from '@outrigger/core';
import type { Live } from '@outrigger/kube';

/** Everything that a strategy needs to know about one object. */
export interface Situation {
  /** The manifest as `prepare` returns it. */
  readonly manifest: KubeObject;
  readonly live: Extract<Live, { readonly state: 'present' | 'absent' }>;
  /** The work's owner reference, and whether the object should have it. */
  readonly owner: OwnerReference;
  readonly isOwned: boolean;
  /**
   * Whether this exact manifest was written before. If so, values of earlier versions have already been removed, which the object itself
   * does not show.
   */
  readonly isWritten: boolean;
  /** The `fingerprint` of the object after the last write of this manifest, if this process wrote it. */
  readonly after: string | undefined;
}

/** One write to the managed cluster. */
export type Write =
  | { readonly type: 'create'; readonly object: KubeObject }
  | { readonly type: 'replace'; readonly object: KubeObject }
  /** Delete the object and create it again, because it cannot be changed in place. */
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
