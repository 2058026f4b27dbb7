import type { ApiReason, Cancel, KubeObject, Kind, ObjectKey, Runtime } from '@outrigger/core';
import type { Client } from './client/types.js';
import type { AnyDecision, AnyEffects, Decision } from './decision.js';
import type { ApiName, CacheView, Projected, Resource } from './resource.js';

/** A record before and after a change; `before` is absent for an addition, `after` for a removal. */
export interface Change<P extends Projected> {
  readonly before: P | undefined;
  readonly after: P | undefined;
}

/**
 * Maps a change to the keys to process again. It sees old and new, so that leaving a reference wakes the key it left. Declared as a method
 * so that a Watch of one record type can stand where any Watch is wanted: a cache hands a mapper only records of its own resource.
 */
type KeysOf<P extends Projected> = { of(change: Change<P>, view: CacheView): Iterable<ObjectKey> }['of'];

export interface Watch<P extends Projected = Projected> {
  readonly resource: Resource<P>;
  readonly keys: KeysOf<P>;
}

/** Ties a resource to the keys of a controller. */
export function watch<P extends Projected>(resource: Resource<P>, keys: KeysOf<P>): Watch<P> {
  return { resource, keys };
}

/** The functions that a source may call while the manager runs. */
export interface SourceContext {
  /** Queues a key of the controller. A wake before the controller acts is kept until it does. */
  wake(this: void, key: ObjectKey): void;
  /**
   * Adds a watch whose cache the controller can read. The controller does not wait for it. `onComplete` is called after each complete
   * list; until the first one `view.isComplete` is false.
   */
  watch(this: void, watch: Watch, onComplete?: () => void): Cancel;
  readonly view: CacheView;
}

/** Wakes keys for reasons other than a change in a cache. The manager starts it with itself, and stops it after the last pass. */
export interface Source {
  start(context: SourceContext): Cancel;
}

/** The last refusal of an action of this key, as long as the content that was rejected is still what the rules ask for. */
export interface Refusal {
  readonly id: string;
  readonly reason: ApiReason;
  readonly message: string;
  /** Digest of the rejected action: a different one means the refusal is about something else. */
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

/** Everything that this process knows about a key besides the caches: the outcomes of its actions, and the memory of its last passes. */
export interface KeyMemory<Memory = unknown> extends Outcomes {
  /** The last value of `Decision.remember` or of an effect's `remember`; undefined in the first pass of a key. */
  readonly remembered: Memory | undefined;
}

/** The instant of a pass, taken once. */
export interface Now {
  /** Wall time in milliseconds. */
  readonly wall: number;
  /** Wall time as Kubernetes writes it. */
  readonly time: string;
  readonly monotonic: number;
}

export interface EffectContext<Memory = unknown> {
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
  /** Writes through it are sent only while this process leads. */
  client(this: void, api: ApiName): Client;
  /** Changes what the next pass of this key remembers. That pass follows at once, or after the back-off if this pass fails. */
  remember(this: void, update: (remembered: Memory | undefined) => Memory): void;
}

/** An object an effect wrote, as the server answered: the next pass of the key waits until the caches show it. */
export interface Written {
  readonly api: ApiName;
  readonly kind: Kind;
  readonly object: KubeObject;
}

/** Declared as a method for the same reason as `KeysOf`: the executor hands a handler only the inputs of its own effect. */
export type EffectHandler<Input = unknown, Memory = unknown> = {
  run(input: Input, context: EffectContext<Memory>): Promise<undefined | void | readonly Written[]>;
}['run'];

/** One handler per effect; the type of its input follows from the name. */
export type EffectHandlers<Effects, Memory = unknown> = { readonly [Name in keyof Effects]: EffectHandler<Effects[Name], Memory> };

/**
 * `observe` reads caches in one synchronous turn, `decide` is pure, the runtime executes. Returning undefined from `observe` means
 * there is nothing to decide about; the memory of the key is dropped.
 *
 * `Memory` is what a pass remembers for the next one of the same key. `Effects` maps the names of the effects to the types of their inputs.
 */
export interface Controller<State, Memory = unknown, Effects = AnyEffects> {
  readonly name: string;
  readonly watches: readonly Watch[];
  /** Resources that `observe` reads though their changes wake nothing. */
  readonly reads?: readonly Resource[];
  /** The sources that wake keys besides the watches. */
  readonly sources?: readonly Source[];
  observe(view: CacheView, key: ObjectKey, memory: KeyMemory<Memory>): State | undefined;
  decide(state: State, now: Now): Decision<Memory, Effects>;
  /** Handlers of the `effect` actions this controller decides on. */
  readonly effects?: EffectHandlers<Effects, Memory>;
  /** Rest between two passes of one key, as a multiple of the last pass's duration (fleet keys: 20). */
  readonly restFactor?: number;
  /** Ids of actions whose time of acceptance is remembered, for rules that space writes out. For few keys: it is kept permanently. */
  readonly timedActions?: readonly string[];
  /** Keys whose actions are carried out at the same time. */
  readonly workers?: number;
}

/** A controller as the manager runs it, whatever it observes, remembers and does. */
export interface AnyController extends Omit<Controller<unknown>, 'decide' | 'effects'> {
  decide(state: unknown, now: Now): AnyDecision;
  readonly effects?: Readonly<Record<string, EffectHandler>>;
}

export function defineController<State, Memory = unknown, Effects = AnyEffects>(
  controller: Controller<State, Memory, Effects>,
): Controller<State, Memory, Effects> {
  return controller;
}
