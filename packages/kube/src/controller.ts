import type { ApiReason, Cancel, Kind, KubeObject, ObjectKey, Projected, Runtime } from '@outrigger/core';
import type { Client } from './client/types.js';
import type { AnyDecision, AnyEffects, Decision } from './decision.js';
import type { ApiName, CacheView, Resource } from './resource.js';

/** A projection before and after a change. `before` is absent for an addition, `after` for a removal. */
export interface Change<P extends Projected> {
  readonly before: P | undefined;
  readonly after: P | undefined;
}

/**
 * Maps a change to the keys to process again. The function gets the old and the new projection, so that the removal of a reference also
 * wakes the previously referenced key. Declared as a method, so that a Watch for one projection type can be used as a Watch for any type.
 * This is safe because a cache passes a mapper only projections of its own resource.
 */
type KeysOf<P extends Projected> = { of(change: Change<P>, view: CacheView): Iterable<ObjectKey> }['of'];

export interface Watch<P extends Projected = Projected> {
  readonly resource: Resource<P>;
  readonly keys: KeysOf<P>;
}

/** Maps the changes of a resource to keys of a controller. */
export function watch<P extends Projected>(resource: Resource<P>, keys: KeysOf<P>): Watch<P> {
  return { resource, keys };
}

/** The functions that a source may call while the manager runs. */
export interface SourceContext {
  /** Queues a key of the controller. A wake that arrives before the controller is active is kept until then. */
  wake(this: void, key: ObjectKey): void;
  /**
   * Adds a watch whose cache the controller can read. The controller does not wait until this cache is complete. `onComplete` is called
   * after each complete list. Before the first complete list, `view.isComplete` is false. Cancelling ends the watch and drops its
   * projections, unless other watches share the resource.
   */
  watch(this: void, watch: Watch, onComplete?: () => void): Cancel;
  readonly view: CacheView;
}

/**
 * Wakes keys for reasons other than a change in a cache. The manager starts the source with its controllers and stops it after the last
 * pass.
 */
export interface Source {
  start(context: SourceContext): Cancel;
}

/**
 * The last error with which the server rejected an action of this key. Errors that do not concern the content of the action, such as
 * Conflict, are not recorded. A refusal is kept until the action succeeds or is requested with other content. It is kept even while
 * `decide` does not request the action. A condition must therefore report the refusal only if this pass requests the action, because a
 * later attempt whose response was lost may have succeeded.
 */
export interface Refusal {
  readonly id: string;
  readonly reason: ApiReason;
  readonly message: string;
  /** Digest of the rejected action. If an action has another digest, the error concerns other content. */
  readonly content: string;
  readonly at: number;
}

/**
 * The outcomes of earlier passes over this key in this process. If an action has neither a refusal nor a success, its outcome is unknown,
 * as after a restart. A failure that a status already reports must then not be cleared.
 */
export interface Outcomes {
  refusal(id: string): Refusal | undefined;
  /** Whether the last known outcome of the action is that the server accepted it. Forgotten when a pass has no actions. */
  hasSucceeded(id: string): boolean;
  /**
   * The monotonic time at which the server last accepted an action of the controller's `timedActions`; undefined if this process never sent
   * the action successfully.
   */
  acceptedAt(id: string): number | undefined;
}

/**
 * The in-memory state of a key, which `observe` gets in addition to the caches: the outcomes of its actions, and the value that its last
 * passes stored.
 */
export interface KeyMemory<Memory = unknown> extends Outcomes {
  /** The last value of `Decision.remember` or of an effect's `remember`; undefined in the first pass of a term over a key. */
  readonly remembered: Memory | undefined;
}

/** The time of a pass. The runtime reads the clocks once per pass. */
export interface Now {
  /** Wall time in milliseconds. */
  readonly wall: number;
  /** Wall time in Kubernetes' format. */
  readonly time: string;
  readonly monotonic: number;
}

export interface EffectContext<Memory = unknown> {
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
  /** A client for an API server. Its writes are sent only while this process leads. */
  client(this: void, api: ApiName): Client;
  /**
   * Changes the value that the next pass over this key gets as `remembered`. The next pass follows immediately, or after the back-off if
   * this pass fails.
   */
  remember(this: void, update: (remembered: Memory | undefined) => Memory): void;
}

/** An object that an effect wrote, as in the server's response. The next pass over the key waits until the caches contain it. */
export interface Written {
  readonly api: ApiName;
  readonly kind: Kind;
  readonly object: KubeObject;
}

/**
 * Executes an effect. Declared as a method for the same reason as `KeysOf`: the executor passes a handler only the inputs of its own
 * effect.
 */
export type EffectHandler<Input = unknown, Memory = unknown> = {
  run(input: Input, context: EffectContext<Memory>): Promise<undefined | void | readonly Written[]>;
}['run'];

/** One handler per effect; the type of its input follows from the name. */
export type EffectHandlers<Effects, Memory = unknown> = { readonly [Name in keyof Effects]: EffectHandler<Effects[Name], Memory> };

/**
 * `observe` reads caches in one synchronous turn, `decide` is pure, and the runtime executes the decision. If `observe` returns undefined,
 * no decision is made and the in-memory state of the key is dropped.
 *
 * `Memory` is the type of the value that a pass stores for the next pass over the same key. `Effects` maps the names of the effects to the
 * types of their inputs.
 */
export interface Controller<State, Memory = unknown, Effects = AnyEffects> {
  readonly name: string;
  readonly watches: readonly Watch[];
  /** Resources that `observe` reads but whose changes wake no key. */
  readonly reads?: readonly Resource[];
  /** The sources that wake keys in addition to the watches. */
  readonly sources?: readonly Source[];
  observe(view: CacheView, key: ObjectKey, memory: KeyMemory<Memory>): State | undefined;
  decide(state: State, now: Now): Decision<Memory, Effects>;
  /** The handlers of the `effect` actions of this controller. */
  readonly effects?: EffectHandlers<Effects, Memory>;
  /**
   * Minimum delay between two passes over one key, as a multiple of the duration of the last pass without its writes. The hub's controllers
   * that set this field use 20. If many keys are busy, the delays are longer, so that all passes of the controller together take at most a
   * quarter of the thread's time.
   */
  readonly restFactor?: number;
  /**
   * Ids of the actions whose acceptance time is stored, for rules that limit the rate of writes. Use this only for controllers with few
   * keys, because the times of a key are dropped only when `observe` returns undefined for the key.
   */
  readonly timedActions?: readonly string[];
  /**
   * Whether administrators grant the rights for writes of this controller while it runs. If so, a forbidden write is tried again within 10
   * s, because no watch reports the grant. If more than 100 keys have a forbidden write, the delay is longer. Agents must not set this
   * field, because the retries of all agents together would load the hub.
   */
  readonly awaitsGrants?: boolean;
  /** Number of keys whose actions are executed concurrently. */
  readonly workers?: number;
}

/** A controller whose state, memory and effect types are erased, in the form that the manager runs. */
export interface AnyController extends Omit<Controller<unknown>, 'decide' | 'effects'> {
  decide(state: unknown, now: Now): AnyDecision;
  readonly effects?: Readonly<Record<string, EffectHandler>>;
}

export function defineController<State, Memory = unknown, Effects = AnyEffects>(
  controller: Controller<State, Memory, Effects>,
): Controller<State, Memory, Effects> {
  return controller;
}
