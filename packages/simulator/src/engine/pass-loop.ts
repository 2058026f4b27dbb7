import { WorkQueue, backoffMs, keyString, type ObjectKey, parseKey, toTime, type Urgency, type Projected } from '@outrigger/core';
import { type AnyController, type AnyDecision, type CacheView, type Change, NOTHING, type Resource, shouldRetry } from '@outrigger/kube';
import { type Batch, type Execution, FAILURE_BACKOFF, FAILURE_REST, OutcomeMemory, firstBatch, settle } from '@outrigger/kube/engine';

/** A pass that has decided and is sending its writes. */
export interface DecidedPass {
  readonly key: string;
  readonly decision: AnyDecision;
  readonly batch: Batch;
}

export interface LoopClock {
  wall(): number;
  monotonic(): number;
  /** Returns a uniformly distributed random number in [0, 1) for the jitter of back-offs. */
  random(): number;
  /** Returns the duration of a pass. Used by controllers that wait between two passes over a key. */
  passMs(): number;
}

const NO_WATCHES: readonly never[] = [];

/** The queue and the in-memory state of one controller, as in the manager. The process decides when to run a pass. */
export class PassLoop {
  readonly controller: AnyController;
  /** The resources that the controller watches or reads. */
  readonly resources: readonly Resource[];
  readonly #watches = new Map<Resource, AnyController['watches'][number][]>();
  readonly #view: CacheView;
  readonly #clock: LoopClock;
  readonly #queue = new WorkQueue();
  readonly #outcomes: OutcomeMemory;
  readonly #remembered = new Map<string, unknown>();
  #isActing = false;

  constructor(controller: AnyController, view: CacheView, clock: LoopClock) {
    this.controller = controller;
    this.#view = view;
    this.#clock = clock;
    this.#outcomes = new OutcomeMemory(controller.timedActions);
    for (const watch of controller.watches) this.#watches.set(watch.resource, [...(this.#watches.get(watch.resource) ?? []), watch]);
    this.resources = [...new Set([...this.#watches.keys(), ...(controller.reads ?? [])])];
  }

  get nextDueAt(): number | undefined {
    return this.#isActing ? this.#queue.nextDueAt() : undefined;
  }

  /** Starts the controller by queueing the keys of all cached objects. */
  begin(projections: (resource: Resource) => Iterable<Projected>): void {
    this.#isActing = true;
    this.#remembered.clear();
    for (const { resource } of this.controller.watches) {
      for (const after of projections(resource)) this.notice(resource, { before: undefined, after }, 'background');
    }
  }

  pause(): void {
    this.#isActing = false;
    this.#queue.clear();
  }

  notice(resource: Resource, change: Change<Projected>, urgency: Urgency = 'fresh'): void {
    if (!this.#isActing) return;
    for (const watch of this.#watches.get(resource) ?? NO_WATCHES) {
      for (const key of watch.keys(change, this.#view)) this.enqueue(key, urgency);
    }
  }

  enqueue(key: ObjectKey, urgency: Urgency = 'fresh'): void {
    if (this.#isActing) this.#queue.add(keyString(key), this.#clock.monotonic(), urgency);
  }

  take(): string | undefined {
    return this.#isActing ? this.#queue.take(this.#clock.monotonic()) : undefined;
  }

  /** Observes and decides in one turn. If the controller throws, the error is passed on and the caller must call `poisoned`. */
  decide(key: string): DecidedPass {
    const memory = { ...this.#outcomes.of(key), remembered: this.#remembered.get(key) };
    const state = this.controller.observe(this.#view, parseKey(key), memory);
    let decision: AnyDecision = NOTHING;
    if (state === undefined) {
      this.#outcomes.forget(key);
      this.#remembered.delete(key);
    } else {
      const wall = this.#clock.wall();
      decision = this.controller.decide(state, { wall, time: toTime(wall), monotonic: this.#clock.monotonic() });
      if (decision.remember !== undefined) this.#remembered.set(key, decision.remember);
    }
    const batch = firstBatch(decision.stages);
    this.#outcomes.reconsider(key, batch.stages.flat());
    return { key, decision, batch };
  }

  remember(key: string, update: (remembered: unknown) => unknown): void {
    this.#remembered.set(key, update(this.#remembered.get(key)));
  }

  finish({ key, decision, batch }: DecidedPass, execution: Execution, hasRemembered: boolean): void {
    const now = this.#clock.monotonic();
    const isNews = this.#outcomes.record(key, execution, this.#clock.wall(), now);
    const settled = settle(execution, batch, isNews, this.controller.awaitsGrants ? this.#outcomes.forbiddenKeys : undefined);
    if (settled.isFailure) {
      const failures = this.#queue.fail(key, settled.outcome === 'stale' ? 'stale' : 'failed');
      const { backoff, retryAfterMs } = settled;
      if (backoff) this.#queue.addAfter(key, Math.max(retryAfterMs, backoffMs(failures, backoff, this.#clock.random())), now);
    } else {
      this.#queue.forget(key);
      if (settled.again || hasRemembered) this.#queue.add(key, now);
    }
    if (decision.requeueAfterMs !== undefined) this.#queue.addAfter(key, Math.max(1, decision.requeueAfterMs), now);
    this.#end(key, now);
  }

  /** Ends a pass whose process no longer leads. The outcome of its writes is unknown. */
  abandon(key: string): void {
    this.#end(key, this.#clock.monotonic());
  }

  poisoned(key: string, error: unknown): void {
    const now = this.#clock.monotonic();
    const failures = this.#queue.fail(key, 'failed');
    if (shouldRetry(error)) this.#queue.addAfter(key, backoffMs(failures, FAILURE_BACKOFF, this.#clock.random()), now);
    this.#end(key, now);
  }

  #end(key: string, now: number): void {
    const setbacks = this.#queue.setbacks(key);
    const { restFactor } = this.controller;
    const restMs = restFactor === undefined ? 0 : Math.floor(restFactor * this.#clock.passMs());
    this.#queue.done(key, now, Math.max(restMs, setbacks === 0 ? 0 : backoffMs(setbacks, FAILURE_REST, 0)));
  }
}
