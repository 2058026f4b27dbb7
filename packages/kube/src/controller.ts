import type { ApiReason, KubeObject, Kind, ObjectKey, Runtime } from '@outrigger/core';
import type { Client } from './client/types.js';
import type { Decision } from './decision.js';
import type { ApiName, CacheView, Projected, Resource } from './resource.js';

/** A record before and after a change; `before` is absent for an addition, `after` for a removal. */
export interface Change<P extends Projected> {
  readonly before: P | undefined;
  readonly after: P | undefined;
}

export interface Watch {
  readonly resource: Resource;
  /** The keys to look at again. Sees old and new, so that leaving a reference wakes the key it left. */
  readonly keys: (change: Change<Projected>, view: CacheView) => Iterable<ObjectKey>;
}

/** Ties a resource to the keys of a controller. */
export function watch<P extends Projected>(
  resource: Resource<P>,
  keys: (change: Change<P>, view: CacheView) => Iterable<ObjectKey>,
): Watch {
  return { resource, keys: keys as unknown as Watch['keys'] };
}

/** The last refusal of an action of this key, as long as the content that was refused is still what the rules ask for. */
export interface Refusal {
  readonly id: string;
  readonly reason: ApiReason;
  readonly message: string;
  /** Digest of the refused action: a different one means the refusal is about something else. */
  readonly content: string;
  readonly at: number;
}

/**
 * The outcomes of earlier passes for this key, as far as this process knows. Neither a refusal nor a success means that the outcome is
 * unknown (after a restart every outcome is), and an unknown outcome is no reason to clear a failure that a status already reports.
 */
export interface Outcomes {
  refusal(id: string): Refusal | undefined;
  /** The last attempt of the action was accepted. Remembered until a pass has nothing left to do. */
  hasSucceeded(id: string): boolean;
  /** When an action of the controller's `timedActions` was last accepted, by the monotonic clock; undefined if never in this process. */
  acceptedAt(id: string): number | undefined;
}

/** The instant of a pass, taken once. */
export interface Now {
  /** Wall time in milliseconds. */
  readonly wall: number;
  /** Wall time as Kubernetes writes it. */
  readonly time: string;
  readonly monotonic: number;
}

export interface EffectContext {
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
  /** Writes through it are sent only while this process leads. */
  client(api: ApiName): Client;
}

/** An object an effect wrote, as the server answered: the next pass of the key waits until the caches show it. */
export interface Written {
  readonly api: ApiName;
  readonly kind: Kind;
  readonly object: KubeObject;
}

export type EffectHandler = (input: unknown, context: EffectContext) => Promise<undefined | void | readonly Written[]>;

/**
 * `observe` reads caches in one synchronous turn, `decide` is pure, the runtime executes. Returning undefined from `observe` means
 * there is nothing to decide about.
 */
export interface Controller<State> {
  readonly name: string;
  readonly watches: readonly Watch[];
  /** Resources that `observe` reads though their changes wake nothing. */
  readonly reads?: readonly Resource[];
  observe(view: CacheView, key: ObjectKey, outcomes: Outcomes): State | undefined;
  decide(state: State, now: Now): Decision;
  /** Handlers of the `effect` actions this controller decides on. */
  readonly effects?: Readonly<Record<string, EffectHandler>>;
  /** Rest between two passes of one key, as a multiple of the last pass's duration (fleet keys: 20). */
  readonly restFactor?: number;
  /** Ids of actions whose time of acceptance is remembered, for rules that space writes out. For few keys: it is kept for good. */
  readonly timedActions?: readonly string[];
  /** Keys whose actions are carried out at the same time. */
  readonly workers?: number;
}

export function defineController<State>(controller: Controller<State>): Controller<State> {
  return controller;
}
