import type { Cancel, KubeObject } from '@outrigger/core';

/**
 * Revision-ordered storage of Kubernetes objects. Every write gets the next revision of a single counter, old revisions stay readable until
 * they are compacted, and the history can be replayed from any kept revision. Reads are synchronous and see only durable writes; a write
 * resolves when it is durable. Only one process writes.
 *
 * Keys are `<group>/<plural>/<namespace>/<name>` (see `key.ts`) and are sorted as strings. Objects are frozen, except
 * those that a read with `inPassing` returns without caching them: only the caller has them.
 */
export interface Store {
  /** The newest durable revision. Starts at 1, so that "0" keeps its meaning of "any version" in the API. */
  readonly revision: number;
  /** The oldest revision that can be read or replayed from. Reading an older revision throws `RevisionExpired`. */
  readonly compactedRevision: number;
  get(key: string, atRevision?: number): Entry | undefined;
  range(prefix: string, options?: RangeOptions): Range;
  /** Returns the number of entries that `range` would return without a limit. */
  count(prefix: string, options?: Omit<RangeOptions, 'limit'>): number;
  /**
   * Writes the object that `build` returns for the revision of the write. `expectedRevision` is the revision of the entry from which the
   * new value was computed, or 0 if the key must not exist. Rejects with `RevisionMismatch` if another write has changed the key, but not
   * before that write is durable, so that the caller then reads the new state.
   */
  put(key: string, expectedRevision: number, build: (revision: number) => KubeObject): Promise<Change>;
  /** Deletes an object. `build` returns its last state, for watchers. */
  delete(key: string, expectedRevision: number, build: (revision: number) => KubeObject): Promise<Change>;
  /**
   * Returns the changes after `revision`, in order, up to the newest durable change. The iterator reads each change when it reaches it, and
   * throws `RevisionExpired` if the change has been compacted by then.
   */
  since(revision: number, prefix?: string): Iterable<Change>;
  /** Calls `listener` once per change, in revision order, after the change is durable and visible. */
  subscribe(listener: (change: Change) => void): Cancel;
  /** Drops history up to `revision`; the newest state of every key stays readable. */
  compact(revision: number): Promise<void>;
  close(): Promise<void>;
}

export interface Entry {
  readonly key: string;
  readonly revision: number;
  /** The object. Its `metadata.resourceVersion` equals `revision`. */
  readonly object: KubeObject;
  /** The JSON of the object, if the store read it from disk for a read with `inPassing`. `object` is then parsed on demand. */
  readonly text?: string;
}

export interface RangeOptions {
  /** If set, only keys after this one are returned. */
  readonly after?: string;
  readonly limit?: number;
  readonly atRevision?: number;
  /** Set for a walk over all objects: the objects that it reads are not cached, so that they do not evict frequently used objects. */
  readonly inPassing?: boolean;
}

export interface Range {
  readonly entries: readonly Entry[];
  /** The revision of the snapshot. */
  readonly revision: number;
  /** Whether keys were omitted because of `limit`. */
  readonly more: boolean;
}

export interface Change {
  readonly type: 'put' | 'delete';
  readonly key: string;
  readonly revision: number;
  /** The new state. For a deletion, the last state with the revision of the deletion. */
  readonly object: KubeObject;
  /** Whether the key did not exist before the change. */
  readonly isCreation: boolean;
  /** The state before the change; absent for a creation. */
  readonly previous: KubeObject | undefined;
}

export class RevisionMismatch extends Error {
  override readonly name = 'RevisionMismatch';
  readonly key: string;
  /** The current revision of the key; 0 if the key does not exist. */
  readonly actual: number;
  constructor(key: string, expected: number, actual: number) {
    super(`${key} is at revision ${actual}, not ${expected}`);
    this.key = key;
    this.actual = actual;
  }
}

export class RevisionExpired extends Error {
  override readonly name = 'RevisionExpired';
  readonly revision: number;
  readonly compactedRevision: number;
  constructor(revision: number, compactedRevision: number) {
    super(`revision ${revision} is compacted (history starts after ${compactedRevision})`);
    this.revision = revision;
    this.compactedRevision = compactedRevision;
  }
}

/**
 * Thrown if the store cannot accept writes (full disk, damaged file). The store stays readable if possible. The message contains the
 * remedy.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}
