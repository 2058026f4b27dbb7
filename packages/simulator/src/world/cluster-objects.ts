import type { KubeObject, ObjectKey, SeededRandom } from '@outrigger/core';
import { type LiveObjects, type ObjectRef, type Source, UNKNOWN, keyOfRef, versionedId } from '@outrigger/kube';
import type { Agenda, ApiEvent, MemoryApi } from '../engine/index.js';

type Live = ReturnType<LiveObjects['get']>;

/** The maximum time from a change on the cluster until the agent has read the object. */
const LAG_MS = 40;

/**
 * The objects on one cluster as its agent knows them. The agent observes changes late. It knows the result of its own write as soon as it
 * gets a response; without a response, the state is unknown to it. This class replaces `LiveObjects`, and uses no promises.
 */
export class ClusterObjects {
  readonly #api: MemoryApi;
  readonly #agenda: Agenda;
  readonly #random: SeededRandom;
  readonly #owners = new Map<string, ReadonlyMap<string, ObjectRef>>();
  readonly #known = new Map<string, Live>();
  readonly #listeners = new Set<(owner: string) => void>();
  #isClosed = false;

  constructor(api: MemoryApi, agenda: Agenda, random: SeededRandom) {
    this.#api = api;
    this.#agenda = agenda;
    this.#random = random;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Handles a change on the cluster: the agent reads the object after a delay. */
  notice({ kind, id }: ApiEvent): void {
    for (const refs of this.#owners.values()) {
      for (const ref of refs.values()) {
        if (ref.kind.plural === kind.plural && `${ref.namespace}/${ref.name}` === id) this.#readSoon(ref);
      }
    }
  }

  source(keyOf: (owner: string) => ObjectKey | undefined): Source {
    return {
      start: ({ wake }) => {
        const listener = (owner: string): void => {
          const key = keyOf(owner);
          if (key) wake(key);
        };
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
  }

  wake(owner: string): void {
    for (const listener of this.#listeners) listener(owner);
  }

  get(ref: ObjectRef): Live {
    return this.#known.get(versionedId(ref)) ?? UNKNOWN;
  }

  isTracking(owner: string, ref: ObjectRef): boolean {
    return this.#owners.get(owner)?.has(versionedId(ref)) ?? false;
  }

  isOwner(owner: string): boolean {
    return this.#owners.has(owner);
  }

  countOf(owner: string): number {
    return this.#owners.get(owner)?.size ?? 0;
  }

  track(owner: string, refs: readonly ObjectRef[]): void {
    if (refs.length > 0) this.#owners.set(owner, new Map(refs.map((ref) => [versionedId(ref), ref])));
    else this.#owners.delete(owner);
    const tracked = new Set([...this.#owners.values()].flatMap((one) => [...one.keys()]));
    for (const id of this.#known.keys()) if (!tracked.has(id)) this.#known.delete(id);
    for (const ref of refs) if (!this.#known.has(versionedId(ref))) this.#readSoon(ref);
  }

  wrote(ref: ObjectRef, object: KubeObject | undefined): void {
    this.#learn(ref, object ? { state: 'present', object } : { state: 'absent' });
  }

  doubt(ref: ObjectRef): void {
    this.#learn(ref, UNKNOWN);
    this.#readSoon(ref);
  }

  async refresh(ref: ObjectRef): Promise<void> {
    this.#read(ref);
  }

  #readSoon(ref: ObjectRef): void {
    this.#agenda.after(1 + this.#random.below(LAG_MS), () => this.#read(ref));
  }

  #read(ref: ObjectRef): void {
    const object = this.#api.find(ref.kind, keyOfRef(ref));
    this.#learn(ref, object ? { state: 'present', object } : { state: 'absent' });
  }

  #learn(ref: ObjectRef, live: Live): void {
    const id = versionedId(ref);
    const before = this.#known.get(id);
    const owners = [...this.#owners].filter(([, refs]) => refs.has(id)).map(([owner]) => owner);
    if (this.#isClosed || owners.length === 0 || isSame(before, live)) return;
    this.#known.set(id, live);
    for (const owner of owners) this.wake(owner);
  }
}

function isSame(a: Live | undefined, b: Live): boolean {
  if (a?.state === 'present' && b.state === 'present') return a.object === b.object;
  return a?.state === b.state;
}
