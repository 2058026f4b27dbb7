import { type Cancel, errorMessage, type ObjectKey, type Runtime, type Metrics, noMetrics } from '@outrigger/core';
import { Cache, type CacheListener } from '../cache/cache.js';
import type { Client } from '../client/types.js';
import type { AnyController, Watch } from '../controller.js';
import { createEventRecorder } from '../events/recorder.js';
import { createExecutor } from '../executor/executor.js';
import { pinRevision } from '../executor/pin-revision.js';
import { type Claim, claimAll } from '../leader/claim.js';
import { unfenced } from '../leader/fence.js';
import type { Leader } from '../leader/leader.js';
import { type Tally, TallyGauge } from '../metrics/tally.js';
import type { ApiName, CacheView, Resource } from '../resource.js';
import { ControllerLoop } from './controller-loop.js';
import { FailureLog } from './failure-log.js';
import { feed } from './feed.js';
import { createRuntimeMetrics } from './metrics.js';
import { PassScheduler } from './pass-scheduler.js';
import { SharedFeeds } from './shared-feeds.js';
import { type Trouble, Troubles, resourcesOfController } from './troubles.js';

export interface ManagerOptions {
  readonly runtime: Runtime;
  readonly apis: Readonly<Record<ApiName, Client>>;
  readonly controllers: readonly AnyController[];
  readonly metrics?: Metrics;
  /** Gauges computed from the caches. Their resources must be among those that a controller watches or reads. */
  readonly tallies?: readonly Tally[];
  /**
   * The leader election. Without it the controllers start as soon as the caches are complete. With it, the transports of `apis` must be
   * fenced (`fenceTransport`), because only they check leadership after queueing and before every attempt.
   */
  readonly leader?: Leader;
  /** The component that Events name as their source. Without it no Events are written. */
  readonly component?: string;
  /** How often every key is processed again, even if nothing changed. */
  readonly resyncMs?: number;
  /**
   * Objects that a new leader marks before its first pass, so that the API server rejects writes to them that an earlier leader still has
   * in flight.
   */
  readonly claim?: Claim;
  /**
   * Adds the cached resourceVersion to writes whose precondition has only a uid, so that the server rejects a late write by an old leader
   * if the object has changed since.
   */
  readonly pinRevisions?: boolean;
  /**
   * Whether each controller starts as soon as its own caches are complete, even while other kinds are still being read. By default the
   * controllers start together when every kind was read or the server rejected the read. Cannot be combined with a leader.
   */
  readonly startsEachAlone?: boolean;
  /** Called when a kind is not served or cannot be read, and without a `problem` when the kind can be read again. */
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
   * Whether every cache has seen a complete list, except those of kinds that their server does not serve or does not allow this process to
   * read.
   */
  readonly hasReadAll: boolean;
  /** The kinds that cannot be read, and the controllers that wait for them or use outdated data. */
  readonly troubles: readonly Trouble[];
  /** The names of the controllers that are active. The others wait for a kind that they need. */
  readonly acting: readonly string[];
  /** Whether the manager leads, or needs no leader, and all controllers that can be active are. */
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
  /**
   * Adds a watch while running, for a kind that only the configuration names. `onComplete` is called after each complete list; until the
   * first one, `view.isComplete` is false. Cancelling ends the watch and drops its records, unless other watches share the resource.
   */
  watch(controller: string, watch: Watch, onComplete?: () => void): Cancel;
  /** Queues a key even if nothing changed. */
  enqueue(controller: string, key: ObjectKey): void;
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
  const { runtime, apis, leader } = options;
  const metrics = createRuntimeMetrics(options.metrics ?? noMetrics);
  const tallies = options.metrics ? (options.tallies ?? []).map((tally) => new TallyGauge(tally, options.metrics ?? noMetrics)) : [];
  const failures = new FailureLog(runtime.log);
  let state: 'new' | 'syncing' | 'standby' | 'active' | 'stopping' | 'stopped' = 'new';
  let cancelResync: Cancel = () => undefined;
  let claiming: AbortController | undefined;
  /** Whether this process, as leader, has marked the records of `options.claim`. */
  let isClaimed = false;
  let giveUp = (): void => undefined;
  let stopSources: readonly Cancel[] = [];
  /** Called when the first list of a kind has completed, or when the server has rejected it. */
  let noticeRead = (): void => undefined;

  const listener: CacheListener = {
    changed: (resource, change) => {
      for (const loop of loops) loop.notice(resource, change);
      for (const tally of tallies) if (tally.resource === resource) tally.apply(change);
    },
    failed: (resource, key, error) => {
      metrics.projectionFailure(resource.name);
      failures.report(`${resource.name} ${key.namespace ?? ''}/${key.name}`, error);
    },
  };
  const cache = new Cache(listener, options.namespaces);
  const executor = createExecutor({
    runtime,
    apis,
    fence: leader ?? unfenced,
    ...(leader ? { writeTimeoutMs: leader.writeTimeoutMs } : {}),
    ...(options.pinRevisions ? { prepare: pinRevision(cache) } : {}),
  });
  const recorder =
    options.component === undefined
      ? undefined
      : createEventRecorder({ runtime, apis, component: options.component, fence: leader ?? unfenced });
  const loops = options.controllers.map(
    (controller) =>
      new ControllerLoop(controller, {
        runtime,
        cache,
        executor,
        metrics,
        record: (event) => recorder?.record(event),
        wake: () => scheduler.wake(),
      }),
  );
  const scheduler = new PassScheduler(runtime, loops);
  const feeds = new SharedFeeds(openFeed, (resource) => cache.drop(resource));
  const resources = resourcesOf(options.controllers);
  /** The controllers' resources that have not been read completely yet. */
  const missing = new Set(resources);
  const claimed = new Set<Resource>(leader ? options.claim?.resources : []);
  assertApis(resources, apis);
  const troubles = new Troubles(options.controllers, options.onTrouble);

  function activate(): void {
    if (state !== 'standby') return;
    state = 'active';
    scheduleResync();
    beginReady();
    claimIfReadable();
  }

  /**
   * Starts the controllers whose caches are complete and whose claimed records are marked. Each of the others starts when these conditions
   * are met for it.
   */
  function beginReady(): void {
    if (state !== 'active') return;
    for (const loop of loops) if (!loop.isActing && loop.resources.every(isUsable)) loop.begin();
  }

  function isUsable(resource: Resource): boolean {
    return !missing.has(resource) && (isClaimed || !claimed.has(resource));
  }

  /** Marks the claimed records once their kinds can be read. Until then, only controllers that need none of these kinds are active. */
  function claimIfReadable(): void {
    const { claim } = options;
    const term = leader?.term;
    if (state !== 'active' || isClaimed || claiming || !claim || term === undefined) return;
    if (claim.resources.some((resource) => missing.has(resource))) return;
    claiming = new AbortController();
    const { signal } = claiming;
    claimAll(claim, { runtime, apis, term, signal })
      .then(() => {
        if (signal.aborted) return;
        isClaimed = true;
        beginReady();
      })
      .catch(
        (error: unknown) =>
          signal.aborted || runtime.log.error({ error: errorMessage(error) }, 'claim of objects for the new leader ended'),
      );
  }

  function deactivate(reason: string): void {
    claiming?.abort(new Error(`no longer leading: ${reason}`));
    claiming = undefined;
    isClaimed = false;
    if (state !== 'active') return;
    state = 'standby';
    cancelResync();
    for (const loop of loops) {
      loop.pause();
      loop.abort(new Error(`no longer leading: ${reason}`));
    }
  }

  function scheduleResync(): void {
    const everyMs = options.resyncMs ?? DEFAULT_RESYNC_MS;
    cancelResync = runtime.timers.after(everyMs * (1 + runtime.random.next() / 10), () => {
      for (const loop of loops) if (loop.isActing) loop.sweep();
      scheduleResync();
    });
  }

  function openFeed(resource: Resource, onSynced: () => void): Cancel {
    const store = cache.add(resource);
    return feed({
      store,
      client: apis[resource.api] as Client,
      runtime,
      onSynced: () => {
        metrics.cachedRecords(resource.name, store.size);
        troubles.solved(resource);
        onSynced();
      },
      onFailure: (error) => {
        if (troubles.failed(resource, error)) missing.delete(resource);
        noticeRead();
      },
      onDefect: (error) =>
        runtime.log.error(
          { resource: resource.name, error: errorMessage(error) },
          'the watch of a resource ended; its cache is not updated any more',
        ),
    });
  }

  /** Resolves when every kind was read completely or rejected, or when the manager is stopped. */
  function startFeeds(): Promise<void> {
    return new Promise((resolve) => {
      giveUp = resolve;
      noticeRead = () => {
        beginReady();
        claimIfReadable();
        if (hasReadAll()) resolve();
      };
      for (const resource of resources) feeds.hold(resource, () => missing.delete(resource) && noticeRead());
      noticeRead();
    });
  }

  function hasReadAll(): boolean {
    return Array.from(missing).every((resource) => troubles.has(resource));
  }

  function addWatch(loop: ControllerLoop, watch: Watch, onComplete: () => void = () => undefined): Cancel {
    assertApis(new Set([watch.resource]), apis);
    const forget = loop.addWatch(watch);
    const release = feeds.hold(watch.resource, onComplete);
    return () => {
      forget();
      release();
    };
  }

  function startSources(): void {
    stopSources = loops.flatMap((loop) =>
      loop.sources.map((source) =>
        source.start({ view: cache, wake: (key) => loop.wake(key), watch: (watch, onComplete) => addWatch(loop, watch, onComplete) }),
      ),
    );
  }

  function loopOf(name: string): ControllerLoop {
    const loop = loops.find((candidate) => candidate.name === name);
    if (loop) return loop;
    throw new Error(`no controller "${name}"; there are: ${loops.map((candidate) => candidate.name).join(', ')}`);
  }

  return {
    view: cache,
    get isSynced() {
      return state !== 'new' && state !== 'syncing' && missing.size === 0;
    },
    get hasReadAll() {
      return state !== 'new' && state !== 'syncing' && hasReadAll();
    },
    get troubles() {
      return troubles.list();
    },
    get acting() {
      return loops.filter((loop) => loop.isActing).map(({ name }) => name);
    },
    get isActive() {
      return state === 'active';
    },
    get isSettled() {
      return state === 'active' && missing.size === 0 && loops.every((loop) => loop.isActing && loop.isSettled);
    },
    get nextPassInMs() {
      const dueAts = loops.flatMap((loop) => loop.nextDueAt() ?? []);
      return dueAts.length === 0 ? undefined : Math.max(0, Math.min(...dueAts) - runtime.clock.monotonic());
    },
    async start() {
      if (state !== 'new') throw new Error('the manager was started before');
      state = 'syncing';
      if (options.beforeStart) await options.beforeStart();
      if (state !== 'syncing') return;
      startSources();
      if (options.startsEachAlone) {
        state = 'standby';
        activate();
        return startFeeds();
      }
      await startFeeds();
      if (state !== 'syncing') return;
      state = 'standby';
      if (leader) leader.start({ leading: activate, lost: deactivate });
      else activate();
    },
    watch: (name, watch, onComplete) => addWatch(loopOf(name), watch, onComplete),
    enqueue: (name, key) => loopOf(name).enqueue(key),
    async stop(graceMs = DEFAULT_GRACE_MS) {
      if (state === 'stopping' || state === 'stopped') return;
      state = 'stopping';
      cancelResync();
      claiming?.abort(new Error('stopped'));
      scheduler.stop();
      for (const loop of loops) loop.pause();
      const cancelAbort = runtime.timers.after(graceMs, () => {
        for (const loop of loops) loop.abort(new Error('stopped'));
      });
      await Promise.all(loops.map((loop) => loop.idle()));
      cancelAbort();
      for (const loop of loops) loop.abort(new Error('stopped'));
      await leader?.stop();
      for (const stopSource of stopSources) stopSource();
      feeds.stop();
      giveUp();
      state = 'stopped';
      options.onStop?.();
    },
  };
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
