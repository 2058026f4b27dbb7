import { ApiError, type KubeObject, type SeededRandom, TerminalError } from '@outrigger/core';
import { type AnyAction, type AnyController, type ApiAction, ConnectionError, type Resource, type Source } from '@outrigger/kube';
import type { ActionFailure, Execution } from '@outrigger/kube/engine';
import type { Agenda } from './agenda.js';
import type { Actor, ApiEvent, PassRef } from './api-event.js';
import { effectClient } from './effect-client.js';
import type { MemoryApi } from './memory-api.js';
import { type DecidedPass, PassLoop } from './pass-loop.js';
import { perform } from './perform.js';
import { type Projections, ProjectionStore, ProjectionView } from './projection-cache.js';
import { SIMULATED_KEYS } from './simulated-keys.js';
import { WatchStream } from './watch-stream.js';
import type { Weather } from './weather.js';

export interface ProcessOptions {
  /** The name of the replica, which stays the same after a restart. Faults select replicas by this name. */
  readonly slot: string;
  /** The name of this incarnation of the replica. */
  readonly name: string;
  readonly controllers: readonly AnyController[];
  /** The API servers that the process uses, by name. */
  readonly apis: Readonly<Record<string, MemoryApi>>;
  readonly agenda: Agenda;
  readonly random: SeededRandom;
  readonly weather: Weather;
  readonly projections: Projections;
  /** The namespace of resources that are read in one namespace only. */
  readonly namespaces: ReadonlyMap<Resource, string>;
  /** The time in milliseconds by which the wall clock of the process is ahead of true time. */
  readonly clockOffsetMs: () => number;
  /** Called when `observe`, `decide` or a handler throws an error other than an API error. */
  readonly onDefect: (error: unknown, controller: string, key: string) => void;
  readonly onPass: () => void;
  /** Called after a write by this process was accepted. */
  readonly onWrite: () => void;
  /** The maximum time between a change and the pass that it starts. Changes in quick succession share one pass. */
  readonly paceMs: number;
  /** Whether every write names the resourceVersion that it was computed from, as in a manager with several replicas. */
  readonly pinRevisions: boolean;
}

/** A pass with writes in flight. */
interface Running {
  readonly loop: PassLoop;
  readonly pass: DecidedPass;
  readonly actor: Actor;
  readonly succeeded: AnyAction[];
  readonly failures: ActionFailure[];
  /** The accepted writes, with their indexes in the log. */
  readonly written: { readonly plural: string; readonly object: KubeObject | undefined; readonly index: number }[];
  stage: number;
  outstanding: number;
  hasRemembered: boolean;
}

/**
 * One process of the hub or of an agent, with caches that lag, controllers, and writes in flight. A crash ends it permanently; a restart
 * creates a new process.
 */
export class HubProcess {
  readonly name: string;
  readonly #options: ProcessOptions;
  readonly #stores = new Map<Resource, ProjectionStore>();
  readonly #streams = new Map<string, WatchStream[]>();
  readonly #allStreams: WatchStream[] = [];
  /** The streams of the resources that a controller watches or reads. */
  readonly #streamsOf = new Map<PassLoop, readonly WatchStream[]>();
  readonly #loops: readonly PassLoop[];
  readonly #running = new Set<Running>();
  /** Passes whose writes have not reached the caches yet. */
  readonly #waiting = new Set<Running>();
  readonly #view: ProjectionView;
  readonly #stops: (() => void)[] = [];
  #term = 0;
  #isLeading = false;
  #isDead = false;
  #wakeAt: number | undefined;

  constructor(options: ProcessOptions) {
    this.name = options.name;
    this.#options = options;
    this.#view = new ProjectionView(this.#stores);
    const { agenda, random, clockOffsetMs, paceMs } = options;
    const clock = {
      wall: () => agenda.now + clockOffsetMs(),
      monotonic: () => agenda.now,
      random: () => random.next(),
      passMs: () => paceMs * PASS_SHARE * random.next(),
    };
    this.#loops = options.controllers.map((controller) => new PassLoop(controller, this.#view, clock));
    for (const loop of this.#loops) for (const resource of loop.resources) this.#open(resource);
    for (const loop of this.#loops) {
      this.#streamsOf.set(
        loop,
        this.#allStreams.filter(({ resource }) => loop.resources.includes(resource)),
      );
    }
    for (const stream of this.#allStreams) stream.relist();
    for (const loop of this.#loops) for (const source of loop.controller.sources ?? []) this.#attach(loop, source);
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get isLeading(): boolean {
    return this.#isLeading;
  }

  streams(): readonly WatchStream[] {
    return this.#allStreams;
  }

  /** Delivers a change from the API server to the watches of the process. */
  offer(event: ApiEvent): void {
    for (const stream of this.#streams.get(event.kind.plural) ?? []) {
      stream.offer(event, this.#options.weather.watchLagMs(this.#options.slot, stream.resource));
    }
  }

  /** Starts a source that wakes keys of a controller. The source stops when the process ends. */
  attach(controller: string, source: Source): void {
    const loop = this.#loops.find((one) => one.controller.name === controller);
    if (loop) this.#attach(loop, source);
  }

  #attach(loop: PassLoop, source: Source): void {
    const stop = source.start({
      wake: (key) => {
        loop.enqueue(key);
        this.#wake();
      },
      watch: () => () => undefined,
      view: this.#view,
    });
    this.#stops.push(stop);
  }

  lead(): void {
    if (this.#isDead || this.#isLeading) return;
    this.#isLeading = true;
    for (const loop of this.#loops) loop.begin((resource) => this.#stores.get(resource)?.values() ?? []);
    this.#wake();
  }

  /** Gives up leadership: starts no further pass. Requests that were already sent may still arrive. */
  step(): void {
    if (!this.#isLeading) return;
    this.#isLeading = false;
    this.#term++;
    for (const { loop, pass } of this.#running) loop.abandon(pass.key);
    this.#running.clear();
    this.#waiting.clear();
    for (const loop of this.#loops) loop.pause();
  }

  crash(): void {
    this.step();
    this.#isDead = true;
    for (const stop of this.#stops) stop();
    for (const stream of this.#allStreams) stream.close();
  }

  #api(name: string): MemoryApi {
    const api = this.#options.apis[name];
    if (api) return api;
    throw new Error(`the process has no API server "${name}"`);
  }

  #open(resource: Resource): void {
    if (this.#stores.has(resource)) return;
    const { agenda, projections, namespaces, paceMs } = this.#options;
    const store = new ProjectionStore(resource, projections, namespaces.get(resource));
    this.#stores.set(resource, store);
    const stream = new WatchStream(store, this.#api(resource.api), agenda, {
      changed: (of, change) => {
        for (const loop of this.#loops) loop.notice(of, change);
        this.#wake(paceMs);
      },
      delivered: () => this.#checkWaiting(),
    });
    this.#allStreams.push(stream);
    const { plural } = resource.kind;
    this.#streams.set(plural, [...(this.#streams.get(plural) ?? []), stream]);
  }

  /** Schedules the next pass. The random delay varies the order of passes and other steps between seeds. */
  #wake(withinMs = 3): void {
    if (!this.#isLeading) return;
    const { agenda, random } = this.#options;
    this.#wakeBy(agenda.now + random.below(withinMs));
  }

  #wakeBy(instant: number): void {
    if (this.#wakeAt !== undefined && this.#wakeAt <= instant) return;
    this.#wakeAt = instant;
    this.#options.agenda.at(instant, () => {
      if (this.#wakeAt !== instant) return;
      this.#wakeAt = undefined;
      this.#runOne();
    });
  }

  /** Runs one pass of a randomly chosen controller that has work. */
  #runOne(): void {
    if (!this.#isLeading) return;
    const loops = this.#loops;
    const first = this.#options.random.below(loops.length);
    for (let i = 0; i < loops.length; i++) {
      const loop = loops[(first + i) % loops.length] as PassLoop;
      const key = loop.take();
      if (key === undefined) continue;
      this.#pass(loop, key);
      this.#wake();
      return;
    }
    const dueAt = Math.min(...loops.map(({ nextDueAt }) => nextDueAt ?? Number.POSITIVE_INFINITY));
    if (dueAt !== Number.POSITIVE_INFINITY) this.#wakeBy(dueAt);
  }

  #pass(loop: PassLoop, key: string): void {
    this.#options.onPass();
    let pass: DecidedPass;
    try {
      pass = loop.decide(key);
    } catch (error) {
      this.#options.onDefect(error, loop.controller.name, key);
      loop.poisoned(key, error);
      return;
    }
    if (pass.batch.size === 0) {
      loop.finish(pass, NOTHING_DONE, false);
      return;
    }
    const actor = { name: `${this.#options.slot} ${loop.controller.name}`, pass: this.#refOf(loop, key) };
    const running: Running = {
      loop,
      pass,
      actor,
      succeeded: [],
      failures: [],
      written: [],
      stage: 0,
      outstanding: 0,
      hasRemembered: false,
    };
    this.#running.add(running);
    this.#start(running);
  }

  #refOf(loop: PassLoop, key: string): PassRef {
    const seen: Record<string, number> = {};
    for (const stream of this.#streamsOf.get(loop) ?? []) {
      const { plural } = stream.resource.kind;
      const other = seen[plural];
      seen[plural] = other === undefined || stream.cursor < other ? stream.cursor : other;
    }
    return { process: this.name, controller: loop.controller.name, key, at: this.#options.agenda.now, seen };
  }

  /** Sends all actions of a stage. Each action arrives at its own time, so other steps may happen in between. */
  #start(running: Running): void {
    const actions = running.pass.batch.stages[running.stage] ?? [];
    const { agenda, weather } = this.#options;
    running.outstanding = actions.length;
    const term = this.#term;
    for (const action of actions) agenda.after(weather.requestMs(this.#options.slot), () => this.#arrive(running, action, term));
  }

  #arrive(running: Running, action: AnyAction, term: number): void | Promise<void> {
    const isCutOff = term !== this.#term;
    const fate = this.#options.weather.fate(this.#options.slot, action.type === 'effect' ? undefined : action.api);
    // If a process crashed or no longer leads, assume that half of its requests had already been sent.
    if (isCutOff && (action.type === 'effect' || this.#options.random.chance(0.5))) return;
    if (fate === 'lost') {
      this.#landed(running, action, term, lost());
      return;
    }
    if (action.type === 'effect') return this.#effect(running, action, term);
    const api = this.#api(action.api);
    const before = api.log.length;
    let failure: unknown;
    try {
      perform(api, running.actor, this.#prepared(action));
    } catch (error) {
      failure = error;
    }
    const { log } = api;
    if (log.length > before && fate === 'arrives') {
      const { kind, after } = log[log.length - 1] as ApiEvent;
      running.written.push({ plural: kind.plural, object: after, index: log.length - 1 });
    }
    if (log.length > before) this.#options.onWrite();
    this.#landed(running, action, term, fate === 'answer lost' ? lost() : failure);
  }

  async #effect(running: Running, action: Extract<AnyAction, { type: 'effect' }>, term: number): Promise<void> {
    const { loop, pass, actor, written } = running;
    const { apis, agenda, clockOffsetMs } = this.#options;
    const handler = loop.controller.effects?.[action.effect];
    const before = Object.values(apis).map((api) => ({ api, count: api.log.length }));
    let failure: unknown;
    try {
      if (!handler) throw new Error(`no handler for the effect "${action.effect}"`);
      const clock = { now: () => agenda.now + clockOffsetMs(), monotonic: () => agenda.now };
      await handler(action.input, {
        runtime: { clock, keys: SIMULATED_KEYS, log: SILENT } as never,
        signal: NEVER_ABORTED,
        client: (name) => effectClient(this.#api(name), actor, () => this.#options.weather.fate(this.#options.slot, name)),
        remember: (update) => {
          loop.remember(pass.key, update);
          running.hasRemembered = true;
        },
      });
    } catch (error) {
      const isAnswer = error instanceof ApiError || error instanceof ConnectionError || error instanceof TerminalError;
      if (!isAnswer) this.#options.onDefect(error, loop.controller.name, pass.key);
      failure = error;
    }
    for (const { api, count } of before) {
      for (let index = count; index < api.log.length; index++) {
        const { kind, after } = api.log[index] as ApiEvent;
        written.push({ plural: kind.plural, object: after, index });
        this.#options.onWrite();
      }
    }
    this.#landed(running, action, term, failure);
  }

  #landed(running: Running, action: AnyAction, term: number, failure: unknown): void {
    if (term !== this.#term) return;
    if (failure === undefined) running.succeeded.push(action);
    else running.failures.push({ action, error: failure });
    running.outstanding--;
    if (running.outstanding > 0) return;
    running.stage++;
    if (running.failures.length === 0 && running.stage < running.pass.batch.stages.length) {
      this.#start(running);
      return;
    }
    this.#waiting.add(running);
    this.#checkWaiting();
  }

  /** Starts the next pass over a key only when the caches contain the writes of the last pass. */
  #checkWaiting(): void {
    for (const running of this.#waiting) {
      if (!running.written.every((write) => this.#shows(running.loop, write))) continue;
      this.#waiting.delete(running);
      this.#running.delete(running);
      const { succeeded, failures } = running;
      running.loop.finish(running.pass, { succeeded, failures, writes: [] }, running.hasRemembered);
      this.#wake();
    }
  }

  #shows(loop: PassLoop, { plural, index }: { readonly plural: string; readonly index: number }): boolean {
    return (this.#streamsOf.get(loop) ?? []).every((stream) => stream.resource.kind.plural !== plural || stream.hasReached(index));
  }

  /**
   * Adds to every write the resourceVersion that it was computed from, if there are several replicas (see `pinRevision` in the manager).
   */
  #prepared(action: ApiAction): ApiAction {
    const isOpen = (action.type === 'patch' || action.type === 'delete') && action.precondition.resourceVersion === undefined;
    if (!this.#options.pinRevisions || !isOpen) return action;
    for (const [resource, store] of this.#stores) {
      if (resource.kind.plural !== action.kind.plural) continue;
      const projection = store.get(action.key);
      if (projection?.uid !== action.precondition.uid) continue;
      return { ...action, precondition: { ...action.precondition, resourceVersion: projection.resourceVersion } };
    }
    return action;
  }
}

/** The maximum duration of a pass, as a share of `paceMs`. */
const PASS_SHARE = 0.1;
const NOTHING_DONE: Execution = { succeeded: [], failures: [], writes: [] };
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const NEVER_ABORTED = new AbortController().signal;

function lost(): ConnectionError {
  return new ConnectionError('the connection was lost', { code: 'ECONNRESET', server: 'simulated', sent: true });
}
