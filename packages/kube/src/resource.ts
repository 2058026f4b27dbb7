import type { Kind, KubeObject, ObjectKey } from '@outrigger/core';

/** Names the API server of a resource, for components that use several API servers (an agent uses its hub and its own cluster). */
export type ApiName = string;

/** The fields of every cached record, in addition to those that its projection copies. */
export interface Projected {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * Returns the index values of a record. Must be a pure function of the record. Declared as a method so that a Resource of one record type
 * can be used as a Resource of any type: a cache passes a resource only its own records.
 */
export type Index<P> = { of(record: P): readonly string[] }['of'];

/**
 * A kind as one component reads it: the cache keeps `project(object)`, never the object. Copy only the fields that the rules read; a record
 * is flat, frozen by convention, and equal sub-values are shared by content (`intern`).
 *
 * `I` names its indexes. A function that takes a `Resource<P>` can read any resource of that record type, but cannot look up by index.
 */
export interface Resource<P extends Projected = Projected, I extends string = never> {
  /** Unique within a component; names metrics and log lines. */
  readonly name: string;
  readonly api: ApiName;
  readonly kind: Kind;
  readonly project: (object: KubeObject, intern: Intern) => P;
  readonly indexes: Readonly<Record<I, Index<P>>>;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** The server sends only metadata, so `project` gets a PartialObjectMetadata. */
  readonly metadataOnly?: boolean;
  /**
   * If the server does not serve the kind, it is treated as empty, and controllers act without it. For kinds of later releases that only
   * restrict other behaviour. If the server forbids reading the kind, it is never treated as empty.
   */
  readonly isEmptyIfNotServed?: boolean;
}

/** Returns the one stored instance of an equal value. */
export type Intern = <T>(value: T) => T;

/** The synchronous view that `observe` reads. Its methods do no I/O. */
export interface CacheView {
  get<P extends Projected>(resource: Resource<P>, key: ObjectKey): P | undefined;
  byIndex<P extends Projected, I extends string>(resource: Resource<P, I>, index: NoInfer<I>, value: string): readonly P[];
  list<P extends Projected>(resource: Resource<P>): Iterable<P>;
  /**
   * Whether a complete list of the resource was seen, so that an absent record means an absent object. Always true for a controller's own
   * watches and reads; only resources added while running (`Manager.watch`) need this check.
   */
  isComplete<P extends Projected>(resource: Resource<P>): boolean;
}
