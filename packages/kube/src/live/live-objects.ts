import { type Cancel, type KubeObject, type ObjectKey, type Runtime, type Scope, isApiError } from '@outrigger/core';
import { reflect } from '../client/reflect.js';
import type { Client } from '../client/types.js';
import type { Source } from '../controller.js';
import { type Live, UNKNOWN } from './live.js';
import { type ObjectRef, objectId, versionedId } from './object-ref.js';
import { TrackedObject } from './tracked-object.js';
import { type WatchSpec, planWatches, watchFor } from './watch-plan.js';

export interface LiveObjectsOptions {
  readonly client: Client;
  readonly runtime: Runtime;
  /** Maximum number of concurrent watches. Objects without a watch are read every five minutes. */
  readonly mostWatches?: number;
}

const MOST_WATCHES = 50;
const PLAN_AFTER_MS = 50;
const CHECK_EVERY_MS = 5 * 60_000;

/**
 * The state of single objects of any kind, each tracked for one or more owners. One metadata watch per kind and namespace reports which
 * objects changed, and only tracked objects are then read. The content of other objects is therefore never in memory. Unchanged objects
 * cause no requests.
 */
export class LiveObjects {
  readonly #options: LiveObjectsOptions;
  /** By versioned id. */
  readonly #tracked = new Map<string, TrackedObject>();
  /** The tracked objects by object id. One object may be tracked in several versions. */
  readonly #byObject = new Map<string, Set<TrackedObject>>();
  /** The tracked objects by owner, then by versioned id. */
  readonly #owners = new Map<string, Map<string, TrackedObject>>();
  readonly #watches = new Map<string, Scope & { close(): void }>();
  readonly #refused = new Set<string>();
  readonly #listeners = new Set<(owner: string) => void>();
  #cancelAdjust: Cancel | undefined;
  #cancelCheck: Cancel | undefined;

  constructor(options: LiveObjectsOptions) {
    this.#options = options;
  }

  /**
   * Returns a source that wakes the keys of a controller. `keyOf` returns the key of an owner, or undefined if the owner belongs to another
   * controller. When the last source ends, all watches end.
   */
  source(keyOf: (owner: string) => ObjectKey | undefined): Source {
    return {
      start: ({ wake }) => {
        const listener = (owner: string): void => {
          const key = keyOf(owner);
          if (key) wake(key);
        };
        this.#listeners.add(listener);
        return () => {
          this.#listeners.delete(listener);
          if (this.#listeners.size === 0) this.close();
        };
      },
    };
  }

  /** Wakes the key of `owner`. */
  wake(owner: string): void {
    for (const listener of this.#listeners) listener(owner);
  }

  get(ref: ObjectRef): Live {
    return this.#tracked.get(versionedId(ref))?.live ?? UNKNOWN;
  }

  isTracking(owner: string, ref: ObjectRef): boolean {
    return this.#owners.get(owner)?.has(versionedId(ref)) ?? false;
  }

  /** Whether `owner` tracks any object. */
  isOwner(owner: string): boolean {
    return this.#owners.has(owner);
  }

  countOf(owner: string): number {
    return this.#owners.get(owner)?.size ?? 0;
  }

  /** The number of open watches, for metrics and tests. */
  get watchCount(): number {
    return this.#watches.size;
  }

  /**
   * Makes `owner` track exactly these objects and notifies it when one of them changes. `unborn` lists objects for which another process
   * may have sent a create request.
   */
  track(owner: string, refs: readonly ObjectRef[], unborn: readonly ObjectRef[] = []): void {
    const before = this.#owners.get(owner) ?? new Map<string, TrackedObject>();
    for (const ref of unborn) if (!this.#tracked.has(versionedId(ref))) this.#object(ref).mayCome();
    const after = new Map(refs.map((ref) => [versionedId(ref), this.#object(ref)]));
    for (const object of after.values()) object.owners.add(owner);
    for (const [id, object] of before) {
      if (!after.has(id)) this.#leave(id, object, owner);
    }
    if (after.size > 0) this.#owners.set(owner, after);
    else this.#owners.delete(owner);
    this.#adjustSoon();
    for (const object of after.values()) if (object.live.state === 'unknown') object.noteChange();
  }

  /** Uses the response to a write by this process immediately, before the watch event arrives. */
  wrote(ref: ObjectRef, object: KubeObject | undefined): void {
    for (const tracked of this.#sameObject(ref)) {
      if (tracked.ref.kind.version === ref.kind.version || object === undefined) tracked.learn(object);
      else tracked.noteChange(object.metadata.resourceVersion);
    }
  }

  /** Handles a write by this process that got no response. The state is unknown until the object is read again. */
  doubt(ref: ObjectRef): void {
    for (const tracked of this.#sameObject(ref)) tracked.doubt();
  }

  /** Reads the object again immediately, after a conflict with another writer. */
  async refresh(ref: ObjectRef): Promise<void> {
    await this.#tracked.get(versionedId(ref))?.read();
  }

  close(): void {
    this.#cancelAdjust?.();
    this.#cancelCheck?.();
    for (const scope of this.#watches.values()) scope.close();
    for (const object of this.#tracked.values()) object.close();
    this.#watches.clear();
    this.#tracked.clear();
    this.#byObject.clear();
    this.#owners.clear();
  }

  #object(ref: ObjectRef): TrackedObject {
    const known = this.#tracked.get(versionedId(ref));
    if (known) return known;
    const { client, runtime } = this.#options;
    const changed = (): void => {
      for (const owner of object.owners) this.wake(owner);
    };
    const object: TrackedObject = new TrackedObject({ ref, client, runtime, changed });
    this.#tracked.set(versionedId(ref), object);
    this.#byObject.set(objectId(ref), (this.#byObject.get(objectId(ref)) ?? new Set()).add(object));
    return object;
  }

  #leave(id: string, object: TrackedObject, owner: string): void {
    object.owners.delete(owner);
    if (object.owners.size > 0) return;
    object.close();
    this.#tracked.delete(id);
    const versions = this.#byObject.get(objectId(object.ref));
    versions?.delete(object);
    if (versions?.size === 0) this.#byObject.delete(objectId(object.ref));
  }

  #sameObject(ref: ObjectRef): Iterable<TrackedObject> {
    return this.#byObject.get(objectId(ref)) ?? [];
  }

  /**
   * Plans the watches after a delay. Planning iterates over all tracked objects. Therefore, a process that starts with hundreds of owners
   * should plan only a few times, not once per owner.
   */
  #adjustSoon(): void {
    this.#cancelAdjust ??= this.#options.runtime.timers.after(PLAN_AFTER_MS, () => this.#adjustWatches());
  }

  #adjustWatches(): void {
    this.#cancelAdjust?.();
    this.#cancelAdjust = undefined;
    const refs = Array.from(this.#tracked.values(), ({ ref }) => ref);
    const open = new Set(this.#watches.keys());
    const plan = planWatches(refs, { open, refused: this.#refused, most: this.#options.mostWatches ?? MOST_WATCHES });
    for (const [id, scope] of this.#watches) {
      if (plan.has(id)) continue;
      this.#watches.delete(id);
      scope.close();
    }
    for (const spec of plan.values()) if (!this.#watches.has(spec.id)) this.#open(spec);
    this.#scheduleCheck();
  }

  #open(spec: WatchSpec): void {
    const { client, runtime } = this.#options;
    const scope = runtime.scope.child(`watch ${spec.id}`);
    this.#watches.set(spec.id, scope);
    const { kind, selection } = spec;
    const onFailure = (error: unknown): void => this.#watchFailed(spec, error);
    void this.#follow(spec, reflect({ client, runtime, kind, selection, metadataOnly: true, onFailure }, scope.signal));
  }

  async #follow(spec: WatchSpec, events: ReturnType<typeof reflect>): Promise<void> {
    let seen = new Set<string>();
    for await (const event of events) {
      if (event.type === 'Init') seen = new Set();
      else if (event.type === 'InitApply' || event.type === 'Apply') {
        const ref = refOf(spec, event.object);
        seen.add(objectId(ref));
        for (const tracked of this.#sameObject(ref)) tracked.noteChange(event.object.metadata.resourceVersion);
      } else if (event.type === 'Delete') {
        for (const tracked of this.#sameObject(refOf(spec, event.object))) tracked.noteGone(event.object.metadata.uid);
      } else if (event.type === 'InitDone') this.#noteUnseen(spec, seen);
    }
  }

  /** Reads objects that are missing from the list, because they were either deleted or created after the list. */
  #noteUnseen({ id }: WatchSpec, seen: ReadonlySet<string>): void {
    for (const tracked of this.#covered(id)) {
      if (!seen.has(objectId(tracked.ref)) && tracked.live.state !== 'absent') tracked.noteChange();
    }
  }

  #covered(watchId: string): TrackedObject[] {
    const objects = [...this.#tracked.values()];
    const specOf = watchFor(objects.map(({ ref }) => ref));
    return objects.filter(({ ref }) => specOf(ref).id === watchId);
  }

  /** Handles a watch that the server forbids, or whose kind is no longer served. Its objects are read every few minutes instead. */
  #watchFailed({ id, kind }: WatchSpec, error: unknown): void {
    const isRefused = isApiError(error, 'Forbidden') || isApiError(error, 'NotFound') || isApiError(error, 'MethodNotAllowed');
    if (!isRefused) return;
    this.#options.runtime.log.warn(
      { kind: kind.plural, watch: id },
      'kind may not be watched; reading its objects every few minutes instead',
    );
    this.#refused.add(id);
    // If the kind is no longer served, its objects no longer exist. No event reports the deletion, so read the objects.
    if (isApiError(error, 'NotFound')) for (const tracked of this.#covered(id)) tracked.noteChange();
    this.#adjustWatches();
  }

  #scheduleCheck(): void {
    if (this.#cancelCheck || this.#unwatched().length === 0) return;
    const { timers, random } = this.#options.runtime;
    this.#cancelCheck = timers.after(CHECK_EVERY_MS * (0.8 + 0.4 * random.next()), () => {
      this.#cancelCheck = undefined;
      this.#refused.clear();
      for (const object of this.#unwatched()) object.noteChange();
      this.#adjustWatches();
    });
  }

  #unwatched(): TrackedObject[] {
    const objects = [...this.#tracked.values()];
    const specOf = watchFor(objects.map(({ ref }) => ref));
    return objects.filter(({ ref }) => !this.#watches.has(specOf(ref).id));
  }
}

function refOf({ kind }: WatchSpec, { metadata }: KubeObject): ObjectRef {
  return { kind, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}
