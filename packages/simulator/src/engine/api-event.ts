import type { Kind, KubeObject } from '@outrigger/core';

/** The pass of a controller that caused a write, and how much of the history of each kind its caches had received at that time. */
export interface PassRef {
  readonly process: string;
  readonly controller: string;
  readonly key: string;
  readonly at: number;
  /** The number of log entries that the caches of each kind, by plural, had received. */
  readonly seen: Readonly<Record<string, number>>;
}

/** The sender of a request. */
export interface Actor {
  readonly name: string;
  readonly pass?: PassRef;
}

/** One accepted change, in the order of the API server. */
export interface ApiEvent {
  readonly index: number;
  /** True time in milliseconds. */
  readonly at: number;
  readonly actor: Actor;
  readonly kind: Kind;
  /** `namespace/name`, or the name of an object without a namespace. */
  readonly id: string;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}
