import type { Kind, KubeObject } from '@outrigger/core';

/** The controller pass that caused a write, and the number of log entries that its caches had received by then. */
export interface PassRef {
  readonly process: string;
  readonly controller: string;
  readonly key: string;
  readonly at: number;
  /** For each kind, by plural, the number of log entries that the caches had received. */
  readonly seen: Readonly<Record<string, number>>;
}

/** The sender of a request. */
export interface Actor {
  readonly name: string;
  readonly pass?: PassRef;
}

/** A change that the API server accepted. Events are in the order in which the server accepted the changes. */
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
