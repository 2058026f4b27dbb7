import type { Intern, Kind, KubeObject, ObjectKey, Projected } from '@outrigger/core';

/**
 * The name of the API server of a resource. Needed by components that use several API servers. For example, an agent uses those of its hub
 * and its own cluster.
 */
export type ApiName = string;

/**
 * Returns the index values of a projection. It must be a pure function of the projection. Declared as a method, so that a Resource for one
 * projection type can be used as a Resource for any type; this is safe because a cache passes a resource only its own projections.
 */
export type Index<P> = { of(projection: P): readonly string[] }['of'];

/**
 * Defines how one component reads a kind. The cache keeps `project(object)`, which has only the fields that the rules read, never the
 * object. A projection is flat and frozen by convention, and equal parts are shared by content (`intern`).
 *
 * `I` names the indexes. A function that takes a `Resource<P>` can read any resource of that projection type, but cannot look up by index.
 */
export interface Resource<P extends Projected = Projected, I extends string = never> {
  /** The name of the resource, unique within a component. Metrics and log lines use it. */
  readonly name: string;
  readonly api: ApiName;
  readonly kind: Kind;
  readonly project: (object: KubeObject, intern: Intern) => P;
  readonly indexes: Readonly<Record<I, Index<P>>>;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Whether the server sends only metadata, so that `project` gets a PartialObjectMetadata. */
  readonly metadataOnly?: boolean;
  /**
   * For a kind with many changes that can wait: the time that the watch may wait between two reads, so that one read returns all events
   * that arrived in this time. An event that arrives while the watch does not wait is read at once.
   */
  readonly gatherMs?: number;
  /**
   * Whether the kind counts as empty if the server does not serve it, so that controllers act without it. Meant for kinds from later
   * releases that only restrict other behaviour. If the server forbids reading the kind, the kind never counts as empty.
   */
  readonly isEmptyIfNotServed?: boolean;
}

/** The synchronous view that `observe` reads. Its methods do no I/O. */
export interface CacheView {
  get<P extends Projected>(resource: Resource<P>, key: ObjectKey): P | undefined;
  byIndex<P extends Projected, I extends string>(resource: Resource<P, I>, index: NoInfer<I>, value: string): readonly P[];
  list<P extends Projected>(resource: Resource<P>): Iterable<P>;
  /**
   * Whether a complete list of the resource was seen, so that an absent projection means an absent object. Always true for a controller's
   * own watches and reads. Only resources that a source adds while the manager runs (`SourceContext.watch`) need this check.
   */
  isComplete<P extends Projected>(resource: Resource<P>): boolean;
}
