import type { Kind, KubeObject, ObjectKey } from '@outrigger/core';

/** Names the API server of a resource, for components that use several (an agent: its hub and its own cluster). */
export type ApiName = string;

/** The fields of every cached record, besides those that its projection copied. */
export interface Projected {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * The values a record is found under; a function of the record alone. Declared as a method so that a Resource of one record type can be
 * used as a Resource of any type: a cache passes a resource only its own records.
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
  /** Only metadata travels over the wire; `project` then sees a PartialObjectMetadata. */
  readonly metadataOnly?: boolean;
  /**
   * A server that does not serve the kind has no objects of it, so controllers act without it. For kinds that came with a later release and
   * only restrict what others do. If the server forbids reading the kind, it is never treated as empty.
   */
  readonly isEmptyIfNotServed?: boolean;
}

/** Returns the one stored instance of an equal value. */
export type Intern = <T>(value: T) => T;

/** The synchronous view that `observe` reads. Nothing here does I/O. */
export interface CacheView {
  get<P extends Projected>(resource: Resource<P>, key: ObjectKey): P | undefined;
  byIndex<P extends Projected, I extends string>(resource: Resource<P, I>, index: NoInfer<I>, value: string): readonly P[];
  list<P extends Projected>(resource: Resource<P>): Iterable<P>;
  /**
   * Whether a complete list of the resource was seen, so that an absent record means an absent object. Always true of a controller's own
   * watches and reads; only resources added while running (`Manager.watch`) need this check.
   */
  isComplete<P extends Projected>(resource: Resource<P>): boolean;
}
