import type { Cancel, Logger, ObjectKey, Projected, Runtime, Urgency } from '@outrigger/core';
import { backoffMs, keyString, parseKey, toTime, WorkQueue } from '@outrigger/core';
import type { Cache } from '../cache/cache.js';
import type { ResourceStore } from '../cache/store.js';
import type { AnyController, Change, Now, Source, Watch } from '../controller.js';
import { type AnyDecision, type EventIntent, NOTHING } from '../decision.js';
import { type Batch, firstBatch } from '../executor/batch.js';
import { shouldRetry } from '../executor/error-policy.js';
import type { Execution, Executor } from '../executor/executor.js';
import type { Resource } from '../resource.js';
import { FAILURE_BACKOFF, FAILURE_REST } from './backoffs.js';
import { FailureLog } from './failure-log.js';
import type { PassOutcome, RuntimeMetrics } from './metrics.js';
import { OutcomeMemory } from './outcome-memory.js';
import { untilVisible } from './read-your-writes.js';
import { resourcesOfController } from './troubles.js';
import { settle } from './settle.js';

export interface LoopContext {
  readonly runtime: Runtime;
  readonly cache: Cache;
  readonly executor: Executor;
  readonly metrics: RuntimeMetrics;
  readonly record: (event: EventIntent) => void;
  /** Called when a new key is queued. */
  readonly wake: () => void;
}

const DEFAULT_WORKERS = 16;
const RECORDS_PER_SWEEP = 200;
/**
 * The passes of a controller with a `restFactor` together take at most 1/REST_PER_BUSY_KEY of the time, even if many of its keys are busy.
 */
const REST_PER_BUSY_KEY = 4;

/** The queue and passes of one controller. The scheduler decides when a pass may run, so that all controllers share the thread fairly. */
export class ControllerLoop {
  readonly #controller: AnyController;
  readonly #context: LoopContext;
  readonly #watches: Set<Watch>;
  readonly #queue = new WorkQueue();
  readonly #outcomes: OutcomeMemory;
  /** The values that passes store for the next pass of the same term (rule 12 of the controller contract), by key. */
  #remembered = new Map<string, unknown>();
  /** Keys that a source woke while the controller was not active. */
  readonly #wokenEarly = new Set<string>();
  readonly #failures: FailureLog;
  readonly #log: Logger;
  /** The passes in progress, one per key. Each has its own signal, because Node warns about a signal with many listeners. */
  readonly #underWay = new Map<AbortController, Promise<void>>();
  #executing = 0;
  #isActing = false;
  #sweep: Iterator<readonly [Resource, Projected]> | undefined;

  constructor(controller: AnyController, context: LoopContext) {
    this.#controller = controller;
    this.#context = context;
    this.#watches = new Set(controller.watches);
    this.#outcomes = new OutcomeMemory(controller.timedActions);
    this.#log = context.runtime.log.child({ controller: controller.name });
    this.#failures = new FailureLog(this.#log);
  }

  get name(): string {
    return this.#controller.name;
  }

  get isSettled(): boolean {
    return this.#sweep === undefined && this.#underWay.size === 0 && this.#queue.isSettled;
  }

  get isActing(): boolean {
    return this.#isActing;
  }

  /** The resources that must have been read completely before the controller can act. */
  get resources(): readonly Resource[] {
    return resourcesOfController(this.#controller);
  }

  get sources(): readonly Source[] {
    return this.#controller.sources ?? [];
  }

  addWatch(watch: Watch): Cancel {
    this.#watches.add(watch);
    return () => this.#watches.delete(watch);
  }

  /**
   * Starts the controller with a sweep over all cached projections, because this process does not know which objects changed before it
   * started.
   */
  begin(): void {
    this.#isActing = true;
    // Replace the map, because another process may have led since this process last led. Passes of the earlier term that have not ended
    // keep the old map.
    this.#remembered = new Map();
    for (const key of this.#wokenEarly) this.enqueue(parseKey(key));
    this.#wokenEarly.clear();
    this.sweep();
  }

  /** Starts no further pass. Passes in progress continue until `abort`. */
  pause(): void {
    this.#isActing = false;
    this.#sweep = undefined;
    this.#queue.clear();
  }

  abort(reason: unknown): void {
    for (const controller of this.#underWay.keys()) controller.abort(reason);
  }

  /** Queues the keys of all projections, a few projections at a time. Keys with recent changes are processed before them. */
  sweep(): void {
    this.#sweep ??= this.#allProjections();
    this.#context.wake();
  }

  enqueue(key: ObjectKey, urgency: Urgency = 'fresh'): void {
    if (!this.#isActing) return;
    this.#queue.add(keyString(key), this.#monotonic(), urgency);
    this.#context.wake();
  }

  /** Queues a key for a source. If the controller is not active, the key is queued when the controller starts. */
  wake(key: ObjectKey): void {
    if (this.#isActing) this.enqueue(key);
    else this.#wokenEarly.add(keyString(key));
  }

  notice(resource: Resource, change: Change<Projected>, urgency: Urgency = 'fresh'): void {
    if (!this.#isActing) return;
    for (const watch of this.#watches) {
      if (watch.resource !== resource) continue;
      try {
        for (const key of watch.keys(change, this.#context.cache)) this.enqueue(key, urgency);
      } catch (error) {
        this.#context.metrics.mapperFailure(this.name, resource.name);
        this.#failures.report(`mapper of ${resource.name}`, error);
      }
    }
  }

  /** Runs one pass, or a part of a sweep. Returns false if there was no work. */
  runNext(): boolean {
    const swept = this.#sweepSome();
    if (!this.#isActing || !this.#hasWorker()) return swept;
    const key = this.#queue.take(this.#monotonic());
    if (key === undefined) return swept;
    this.#pass(key);
    return true;
  }

  /**
   * Returns the time at which the next key is due. Undefined while all workers are busy, because a worker that finishes wakes the
   * scheduler.
   */
  nextDueAt(): number | undefined {
    return this.#isActing && this.#hasWorker() ? this.#queue.nextDueAt() : undefined;
  }

  reportDepth(): void {
    this.#context.metrics.queueDepth(this.name, this.#queue.depth);
  }

  /** Resolves when all passes of this controller have finished. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
  }

  #pass(key: string): void {
    const startedAt = this.#monotonic();
    let decision: AnyDecision;
    let batch: Batch;
    try {
      decision = this.#decide(key);
      batch = firstBatch(decision.stages);
      this.#outcomes.reconsider(key, batch.stages.flat());
    } catch (error) {
      this.#poisoned(key, error, startedAt);
      return;
    }
    const decidedAt = this.#monotonic();
    const pass: Pass = { decision, batch, startedAt, restUntil: decidedAt + this.#restAfter(decidedAt - startedAt) };
    if (batch.size === 0) {
      this.#finish(key, pass, { succeeded: [], failures: [], writes: [] });
      return;
    }
    const controller = new AbortController();
    const run = this.#carryOut(key, pass, controller.signal);
    this.#underWay.set(
      controller,
      run.finally(() => this.#underWay.delete(controller)),
    );
  }

  /** Rule 1 of the controller contract: one synchronous turn from the first cache read to the decision. */
  #decide(key: string): AnyDecision {
    const { clock } = this.#context.runtime;
    const memory = { remembered: this.#remembered.get(key), ...this.#outcomes.of(key) };
    const state = this.#controller.observe(this.#context.cache, parseKey(key), memory);
    if (state === undefined) {
      this.#outcomes.forget(key);
      this.#remembered.delete(key);
      return NOTHING;
    }
    const wall = clock.now();
    const now: Now = { wall, time: toTime(wall), monotonic: clock.monotonic() };
    const decision = this.#controller.decide(state, now);
    if (decision.remember !== undefined) this.#remembered.set(key, decision.remember);
    return decision;
  }

  async #carryOut(key: string, pass: Pass, signal: AbortSignal): Promise<void> {
    this.#executing++;
    let hasRemembered = false;
    const remembered = this.#remembered;
    const remember = (update: (remembered: unknown) => unknown): void => {
      remembered.set(key, update(remembered.get(key)));
      hasRemembered = true;
    };
    const effects = { handlers: this.#controller.effects ?? {}, remember };
    const execution = await this.#context.executor.execute(pass.batch.stages, effects, signal);
    this.#executing--;
    this.#context.wake();
    // Keep the key busy until the caches contain these writes, so that its next pass cannot start on caches without them.
    await untilVisible(execution.writes, this.#stores(), signal);
    if (signal.aborted) this.#stopped(key, pass);
    else this.#finish(key, pass, execution, hasRemembered);
    this.#context.wake();
  }

  #finish(key: string, { decision, batch, startedAt, restUntil }: Pass, execution: Execution, hasRemembered = false): void {
    const isNews = this.#outcomes.record(key, execution, this.#context.runtime.clock.now(), this.#monotonic());
    const settled = settle(execution, batch, isNews, this.#controller.awaitsGrants ? this.#outcomes.forbiddenKeys : undefined);
    const now = this.#monotonic();
    if (settled.isFailure) {
      const failures = this.#queue.fail(key, settled.outcome === 'stale' ? 'stale' : 'failed');
      for (const { action, error } of execution.failures) this.#failures.report(key, error, action, failures);
      const { backoff, retryAfterMs } = settled;
      if (backoff)
        this.#queue.addAfter(key, Math.max(retryAfterMs, backoffMs(failures, backoff, this.#context.runtime.random.next())), now);
    } else {
      this.#queue.forget(key);
      this.#failures.recovered(key);
      if (settled.again || hasRemembered) this.#queue.add(key, now);
    }
    const isDone = !settled.isFailure && !settled.again;
    const succeeded = new Set(execution.succeeded.map(({ id }) => id));
    for (const event of decision.events ?? [])
      if (event.afterAction === undefined ? isDone : succeeded.has(event.afterAction)) this.#context.record(event);
    if (decision.requeueAfterMs !== undefined) this.#queue.addAfter(key, Math.max(1, decision.requeueAfterMs), now);
    this.#end(key, settled.outcome, startedAt, Math.max(restUntil - now, this.#restOfFailure(key)));
  }

  /** Handles an exception in `observe` or `decide` as a failure of this key only. */
  #poisoned(key: string, error: unknown, startedAt: number): void {
    const failures = this.#queue.fail(key, 'failed');
    this.#failures.report(key, error);
    const now = this.#monotonic();
    if (shouldRetry(error)) this.#queue.addAfter(key, backoffMs(failures, FAILURE_BACKOFF, this.#context.runtime.random.next()), now);
    this.#end(key, 'failed', startedAt, this.#restOfFailure(key));
  }

  #stopped(key: string, { startedAt }: Pass): void {
    this.#end(key, 'stopped', startedAt, 0);
  }

  #end(key: string, outcome: PassOutcome, startedAt: number, restMs: number): void {
    const now = this.#monotonic();
    this.#queue.done(key, now, restMs);
    this.#context.metrics.pass(this.name, outcome, now - startedAt);
    this.#log.debug({ key, outcome }, 'pass');
  }

  #stores(): readonly ResourceStore[] {
    const resources = new Set([...Array.from(this.#watches, ({ resource }) => resource), ...(this.#controller.reads ?? [])]);
    return [...resources].flatMap((resource) => this.#context.cache.find(resource) ?? []);
  }

  #sweepSome(): boolean {
    if (!this.#sweep) return false;
    for (let i = 0; i < RECORDS_PER_SWEEP; i++) {
      const next = this.#sweep.next();
      if (next.done) {
        this.#sweep = undefined;
        return true;
      }
      const [resource, after] = next.value;
      this.notice(resource, { before: undefined, after }, 'background');
    }
    return true;
  }

  *#allProjections(): IterableIterator<readonly [Resource, Projected]> {
    for (const resource of new Set(Array.from(this.#watches, ({ resource }) => resource))) {
      for (const projection of this.#context.cache.find(resource)?.list() ?? []) yield [resource, projection];
    }
  }

  #restAfter(passMs: number): number {
    const { restFactor } = this.#controller;
    return restFactor === undefined ? 0 : Math.max(restFactor, REST_PER_BUSY_KEY * (this.#queue.busyKeys + 1)) * passMs;
  }

  #restOfFailure(key: string): number {
    const setbacks = this.#queue.setbacks(key);
    return setbacks === 0 ? 0 : backoffMs(setbacks, FAILURE_REST, 0);
  }

  #hasWorker(): boolean {
    return this.#executing < (this.#controller.workers ?? DEFAULT_WORKERS);
  }

  #monotonic(): number {
    return this.#context.runtime.clock.monotonic();
  }
}

interface Pass {
  readonly decision: AnyDecision;
  readonly batch: Batch;
  readonly startedAt: number;
  /** The monotonic time before which no other pass of the key starts (`restFactor`). The actions of the pass run within this time. */
  readonly restUntil: number;
}
