import type { KubeObject } from '@outrigger/core';

/** One change, without its object. */
export interface JournalRecord {
  readonly revision: number;
  readonly type: 'put' | 'delete';
  readonly key: string;
  /** The revision of the previous state; 0 for a creation. */
  readonly previous: number;
}

export interface JournalEntry extends JournalRecord {
  readonly object: KubeObject;
}

/** The state that a journal has when it is opened. */
export interface JournalState {
  readonly revision: number;
  readonly compactedRevision: number;
  readonly heads: Iterable<readonly [key: string, revision: number]>;
  /** The changes after `compactedRevision`, in order. */
  readonly history: Iterable<JournalRecord>;
}

/**
 * An object that was read without adding it to the cache. An object that was not in the cache is not frozen, because only the caller has
 * it.
 */
export interface PassingObject {
  readonly object: KubeObject;
  /** The JSON of the object, if the journal read it. `object` is then parsed on demand. */
  readonly text?: string;
}

/** Stores objects by revision. The store decides the order and enforces all rules; a journal only stores and reads. */
export interface Journal {
  /**
   * Returns the state that the journal had when it was opened. The caller calls this method only once, because the journal does not keep
   * the state.
   */
  takeState(): JournalState;
  /**
   * Stores all entries or none. They are durable when the call returns undefined or its promise resolves; the store does not call `append`
   * again before that.
   */
  append(entries: readonly JournalEntry[]): Promise<void> | undefined;
  /** Returns the object of a kept revision. */
  read(revision: number): KubeObject;
  /** Like `read`, for an object that is not expected to be read again soon. The object is not added to the cache. */
  readInPassing(revision: number): PassingObject;
  /** Removes objects that clients can no longer request. */
  compact(compactedRevision: number, forgotten: readonly number[]): Promise<void> | undefined;
  close(): Promise<void>;
}
