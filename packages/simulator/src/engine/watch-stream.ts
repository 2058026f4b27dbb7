import type { KubeObject, Projected } from '@outrigger/core';
import type { Change, Resource } from '@outrigger/kube';
import type { Agenda } from './agenda.js';
import type { ApiEvent } from './api-event.js';
import type { MemoryApi } from './memory-api.js';
import { type ProjectionStore, idOf } from './projection-cache.js';

/** Feeds one cache of one process from the API server's log, in order but with a delay. */
export class WatchStream {
  readonly resource: Resource;
  /** The number of log entries that the cache has received. */
  cursor = 0;
  readonly #store: ProjectionStore;
  readonly #api: MemoryApi;
  readonly #agenda: Agenda;
  readonly #changed: (resource: Resource, change: Change<Projected>) => void;
  readonly #delivered: () => void;
  #pending: { readonly event: ApiEvent; readonly dueAt: number }[] = [];
  #lastDueAt = 0;
  #isBroken = false;
  #isClosed = false;

  constructor(
    store: ProjectionStore,
    api: MemoryApi,
    agenda: Agenda,
    listener: { readonly changed: (resource: Resource, change: Change<Projected>) => void; readonly delivered: () => void },
  ) {
    this.resource = store.resource;
    this.#store = store;
    this.#api = api;
    this.#agenda = agenda;
    this.#changed = listener.changed;
    this.#delivered = listener.delivered;
  }

  offer(event: ApiEvent, lagMs: number): void {
    if (this.#isBroken || this.#isClosed) return;
    const dueAt = Math.max(this.#lastDueAt, this.#agenda.now + lagMs);
    this.#lastDueAt = dueAt;
    this.#pending.push({ event, dueAt });
    if (this.#pending.length === 1) this.#agenda.at(dueAt, () => this.#deliver());
  }

  /** Breaks the watch. After `forMs` the cache lists the objects again, so the cache never observes the states in between. */
  breakFor(forMs: number): void {
    if (this.#isBroken || this.#isClosed) return;
    this.#isBroken = true;
    this.#pending = [];
    this.#agenda.after(forMs, () => {
      this.#isBroken = false;
      if (!this.#isClosed) this.relist();
    });
  }

  /** Breaks the watch until `restore` is called. */
  sever(): void {
    this.#isBroken = true;
    this.#pending = [];
  }

  restore(): void {
    if (!this.#isBroken || this.#isClosed) return;
    this.#isBroken = false;
    this.relist();
  }

  relist(): void {
    const gone = new Set(this.#store.keys());
    for (const object of this.#api.list(this.resource.kind)) {
      const id = idOf(object);
      gone.delete(id);
      this.#take(id, object);
    }
    for (const id of gone) this.#take(id, undefined);
    this.cursor = this.#api.log.length;
    this.#delivered();
  }

  close(): void {
    this.#isClosed = true;
    this.#pending = [];
  }

  /** Whether the cache contains the log entry with this index. */
  hasReached(index: number): boolean {
    return this.cursor > index;
  }

  #deliver(): void {
    if (this.#isBroken || this.#isClosed) return;
    const { now } = this.#agenda;
    let count = 0;
    while (count < this.#pending.length && (this.#pending[count]?.dueAt ?? 0) <= now) {
      const { event } = this.#pending[count] as { event: ApiEvent };
      this.cursor = event.index + 1;
      this.#take(event.id, event.after);
      count++;
    }
    this.#pending.splice(0, count);
    const next = this.#pending[0];
    if (next) this.#agenda.at(next.dueAt, () => this.#deliver());
    this.#delivered();
  }

  #take(id: string, object: KubeObject | undefined): void {
    const change = this.#store.take(id, object);
    if (change) this.#changed(this.resource, change);
  }
}
