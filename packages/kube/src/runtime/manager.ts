import { type Cancel, type Runtime, type Metrics, earliest, noMetrics } from '@outrigger/core';
import { Cache, type CacheListener } from '../cache/cache.js';
import type { Client } from '../client/types.js';
import type { AnyController, Watch } from '../controller.js';
import { createEventRecorder } from '../events/recorder.js';
import { createExecutor } from '../executor/executor.js';
import { pinRevision } from '../executor/pin-revision.js';
import type { Claim } from '../leader/claim.js';
import { unfenced } from '../leader/fence.js';
import type { Leader } from '../leader/leader.js';
import { type Tally, TallyGauge } from '../metrics/tally.js';
import type { ApiName, CacheView, Resource } from '../resource.js';
import { ControllerLoop } from './controller-loop.js';
import { FailureLog } from './failure-log.js';
import { LeaderClaim } from './leader-claim.js';
import { type RuntimeMetrics, createRuntimeMetrics } from './metrics.js';
import { PassScheduler } from './pass-scheduler.js';
import { ResourceReading } from './resource-reading.js';
import { type Trouble, Troubles, resourcesOfController } from './troubles.js';

export interface ManagerOptions {
  readonly runtime: Runtime;
  readonly apis: Readonly<Record<ApiName, Client>>;
  readonly controllers: readonly AnyController[];
  readonly metrics?: Metrics;
  /** Gauges computed from the caches. Their resources must be among those that a controller watches or reads. */
  readonly tallies?: readonly Tally[];
  /**
   * The leader election. Without it, the controllers start as soon as the caches are complete. With it, the transports of `apis` must be
   * fenced (`fenceTransport`), because only a fenced transport checks leadership before every attempt, after the request waited in a queue.
   */
  readonly leader?: Leader;
  /** The component that Events name as their source. Without it, no Events are written. */
  readonly component?: string;
  /** The interval at which every key is processed again, even if nothing changed. */
  readonly resyncMs?: number;
  /**
   * Objects that a new leader claims before its first pass, so that the API server rejects writes to them that an earlier leader still has
   * in flight.
   */
  readonly claim?: Claim;
  /**
   * Adds the cached resourceVersion to writes whose precondition has only a uid, so that the server rejects a late write by an old leader
   * if the object has changed since that leader observed it.
   */
  readonly pinRevisions?: boolean;
  /**
   * Whether each controller starts as soon as its own caches are complete, even while other kinds are still being read. By default, all
   * controllers start when every kind was read or the server rejected the read. Cannot be combined with a leader.
   */
  readonly startsEachAlone?: boolean;
  /** Called when a kind is not served or cannot be read. Called without a `problem` when the kind can be read again. */
  readonly onTrouble?: (trouble: Trouble) => void;
  /** The namespace of each resource that is read in one namespace only, for processes that may not read other namespaces. */
  readonly namespaces?: ReadonlyMap<Resource, string>;
  /** Awaited before the first watch starts. If it fails, `start` fails. */
  readonly beforeStart?: () => Promise<void>;
  /** Called when the manager has stopped, after the last pass has finished and all watches have ended. */
  readonly onStop?: () => void;
}

export interface Manager {
  readonly view: CacheView;
  /**
   * Starts the watches. Resolves when every kind was read completely or rejected by its server, and the controllers are active or the
   * election has begun. A kind that is not served or may not be read delays only the controllers that need it.
   */
  start(): Promise<void>;
  /** Whether every cache has seen a complete list. */
  readonly isSynced: boolean;
  /**
   * Whether every cache has seen a complete list. Ignores kinds that their server does not serve or does not allow this process to read.
   */
  readonly hasReadAll: boolean;
  /** The kinds that cannot be read, and the controllers that wait for them or use outdated data. */
  readonly troubles: readonly Trouble[];
  /** The names of the controllers that are active. The others wait for a kind that they need. */
  readonly acting: readonly string[];
  /** Whether the manager leads or needs no leader, and has started every controller that can run. */
  readonly isActive: boolean;
  /**
   * Whether the controllers are active and have processed all changes in the caches. Ignores changes that have not reached the caches yet.
   */
  readonly isSettled: boolean;
  /**
   * The time until the next pass that is due even if nothing changes: a retry, or a requeue that a decision requested. Undefined if no pass
   * is due.
   */
  readonly nextPassInMs: number | undefined;
  /** Stops the manager: starts no further pass, gives passes in progress `graceMs` to finish, gives up leadership, and ends the watches. */
  stop(graceMs?: number): Promise<void>;
}

const DEFAULT_RESYNC_MS = 30 * 60_000;
const DEFAULT_GRACE_MS = 10_000;

/**
 * Runs controllers against the API servers that they name. Controllers share resources: the same Resource object is watched and cached
 * once.
 */
export function createManager(options: ManagerOptions): Manager {
  return new ControllerManager(options);
}

class ControllerManager implements Manager {
  readonly view: Cache;
  readonly #options: ManagerOptions;
  readonly #loops: readonly ControllerLoop[];
  readonly #scheduler: PassScheduler;
  readonly #troubles: Troubles;
  readonly #reading: ResourceReading;
  readonly #claim: LeaderClaim;
  #state: 'new' | 'syncing' | 'standby' | 'active' | 'stopping' | 'stopped' = 'new';
  #cancelResync: Cancel = () => undefined;
  #stopSources: readonly Cancel[] = [];

  constructor(options: ManagerOptions) {
    const { runtime, apis, leader, claim, controllers } = options;
    const metrics = createRuntimeMetrics(options.metrics ?? noMetrics);
    const resources = resourcesOf(controllers);
    assertApis(resources, apis);
    this.#options = options;
    this.view = new Cache(this.#cacheListener(metrics), options.namespaces);
    this.#loops = this.#createLoops(metrics);
    this.#scheduler = new PassScheduler(runtime, this.#loops);
    this.#troubles = new Troubles(controllers, options.onTrouble);
    this.#reading = new ResourceReading({ runtime, apis, cache: this.view, metrics, troubles: this.#troubles, resources });
    this.#claim = new LeaderClaim({
      runtime,
      apis,
      leader,
      claim,
      isRead: (resource) => this.#reading.isRead(resource),
      onClaimed: () => this.#beginReady(),
    });
  }

  get isSynced(): boolean {
    return this.#hasBegun && this.#reading.isComplete;
  }

  get hasReadAll(): boolean {
    return this.#hasBegun && this.#reading.hasReadAll;
  }

  get troubles(): readonly Trouble[] {
    return this.#troubles.list();
  }

  get acting(): readonly string[] {
    return this.#loops.filter((loop) => loop.isActing).map(({ name }) => name);
  }

  get isActive(): boolean {
    return this.#state === 'active';
  }

  get isSettled(): boolean {
    return this.isActive && this.#reading.isComplete && this.#loops.every((loop) => loop.isActing && loop.isSettled);
  }

  get nextPassInMs(): number | undefined {
    const dueAt = earliest(...this.#loops.map((loop) => loop.nextDueAt()));
    return dueAt && Math.max(0, dueAt - this.#options.runtime.clock.monotonic());
  }

  async start(): Promise<void> {
    const { beforeStart, startsEachAlone, leader } = this.#options;
    if (this.#state !== 'new') throw new Error('the manager was started before');
    this.#state = 'syncing';
    if (beforeStart) await beforeStart();
    if (!this.#isSyncing) return;
    this.#startSources();
    if (startsEachAlone) {
      this.#state = 'standby';
      this.#activate();
      return this.#read();
    }
    await this.#read();
    if (!this.#isSyncing) return;
    this.#state = 'standby';
    if (leader) leader.start({ leading: () => this.#activate(), lost: (reason) => this.#deactivate(reason) });
    else this.#activate();
  }

  async stop(graceMs = DEFAULT_GRACE_MS): Promise<void> {
    const { runtime, leader, onStop } = this.#options;
    if (this.#state === 'stopping' || this.#state === 'stopped') return;
    this.#state = 'stopping';
    this.#cancelResync();
    this.#claim.end('stopped');
    this.#scheduler.stop();
    for (const loop of this.#loops) loop.pause();
    const cancelAbort = runtime.timers.after(graceMs, () => this.#abortPasses('stopped'));
    await Promise.all(this.#loops.map((loop) => loop.idle()));
    cancelAbort();
    this.#abortPasses('stopped');
    await leader?.stop();
    for (const stopSource of this.#stopSources) stopSource();
    this.#reading.stop();
    this.#state = 'stopped';
    onStop?.();
  }

  get #hasBegun(): boolean {
    return this.#state !== 'new' && this.#state !== 'syncing';
  }

  get #isSyncing(): boolean {
    return this.#state === 'syncing';
  }

  /** Counts and reports the changes of the caches, and wakes the controllers. */
  #cacheListener(metrics: RuntimeMetrics): CacheListener {
    const { metrics: registry, tallies = [], runtime } = this.#options;
    const gauges = registry ? tallies.map((tally) => new TallyGauge(tally, registry)) : [];
    const failures = new FailureLog(runtime.log);
    return {
      changed: (resource, change) => {
        for (const loop of this.#loops) loop.notice(resource, change);
        for (const gauge of gauges) if (gauge.resource === resource) gauge.apply(change);
      },
      failed: (resource, key, error) => {
        metrics.projectionFailure(resource.name);
        failures.report(`${resource.name} ${key.namespace ?? ''}/${key.name}`, error);
      },
    };
  }

  #createLoops(metrics: RuntimeMetrics): readonly ControllerLoop[] {
    const { runtime, apis, leader, component, pinRevisions, controllers } = this.#options;
    const cache = this.view;
    const fence = leader ?? unfenced;
    const executor = createExecutor({
      runtime,
      apis,
      fence,
      ...(leader ? { writeTimeoutMs: leader.writeTimeoutMs } : {}),
      ...(pinRevisions ? { prepare: pinRevision(cache) } : {}),
    });
    const recorder = component === undefined ? undefined : createEventRecorder({ runtime, apis, component, fence });
    return controllers.map(
      (controller) =>
        new ControllerLoop(controller, {
          runtime,
          cache,
          executor,
          metrics,
          record: (event) => recorder?.record(event),
          wake: () => this.#scheduler.wake(),
        }),
    );
  }

  #activate(): void {
    if (this.#state !== 'standby') return;
    this.#state = 'active';
    this.#scheduleResync();
    this.#beginReady();
    this.#claim.startIfReadable();
  }

  #deactivate(reason: string): void {
    this.#claim.end(`no longer leading: ${reason}`);
    if (!this.isActive) return;
    this.#state = 'standby';
    this.#cancelResync();
    for (const loop of this.#loops) loop.pause();
    this.#abortPasses(`no longer leading: ${reason}`);
  }

  #abortPasses(reason: string): void {
    for (const loop of this.#loops) loop.abort(new Error(reason));
  }

  #read(): Promise<void> {
    return this.#reading.start(() => {
      if (!this.isActive) return;
      this.#beginReady();
      this.#claim.startIfReadable();
    });
  }

  /**
   * Starts each controller whose caches are complete and that does not wait for a claim. Called again whenever a cache may have become
   * complete or the objects may have been claimed.
   */
  #beginReady(): void {
    if (!this.isActive) return;
    const isUsable = (resource: Resource): boolean => this.#reading.isRead(resource) && this.#claim.allows(resource);
    for (const loop of this.#loops) if (!loop.isActing && loop.resources.every(isUsable)) loop.begin();
  }

  #scheduleResync(): void {
    const { runtime, resyncMs = DEFAULT_RESYNC_MS } = this.#options;
    this.#cancelResync = runtime.timers.after(resyncMs * (1 + runtime.random.next() / 10), () => {
      for (const loop of this.#loops) if (loop.isActing) loop.sweep();
      this.#scheduleResync();
    });
  }

  #addWatch(loop: ControllerLoop, watch: Watch, onComplete: () => void = () => undefined): Cancel {
    assertApis(new Set([watch.resource]), this.#options.apis);
    const forget = loop.addWatch(watch);
    const release = this.#reading.hold(watch.resource, onComplete);
    return () => {
      forget();
      release();
    };
  }

  #startSources(): void {
    this.#stopSources = this.#loops.flatMap((loop) =>
      loop.sources.map((source) =>
        source.start({
          view: this.view,
          wake: (key) => loop.wake(key),
          watch: (watch, onComplete) => this.#addWatch(loop, watch, onComplete),
        }),
      ),
    );
  }
}

function resourcesOf(controllers: readonly AnyController[]): ReadonlySet<Resource> {
  return new Set(controllers.flatMap((controller) => resourcesOfController(controller)));
}

function assertApis(resources: ReadonlySet<Resource>, apis: Readonly<Record<ApiName, Client>>): void {
  for (const { name, api } of resources) {
    if (!apis[api])
      throw new Error(`resource ${name} lives on the API "${api}", but clients were given for: ${Object.keys(apis).join(', ')}`);
  }
}
