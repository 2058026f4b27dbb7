import { type Kind, type KubeObject, type Runtime, type Scope, isApiError, keyOf, keyString } from '@outrigger/core';
import { type Client, reflect } from '@outrigger/kube';

/** An object on the managed cluster that some work cares about. */
export interface ObjectRef {
  readonly kind: Kind;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

/** What is known of it. `unknown` means that nobody has looked yet. */
export type Live =
  | { readonly state: 'present'; readonly object: KubeObject }
  | { readonly state: 'absent' }
  | { readonly state: 'unknown' };

export interface LiveObjectsOptions {
  readonly client: Client;
  readonly runtime: Runtime;
  /** Told the works that care about an object whenever what is known of it changed. */
  readonly changed: (works: Iterable<string>) => void;
}

interface Tracked {
  readonly ref: ObjectRef;
  readonly works: Set<string>;
  live: Live;
  /** The revision the metadata watch last told of, while the object is being read again. */
  reading: string | undefined;
}

/**
 * The objects of all works as they are on the cluster. One metadata watch per kind and namespace tells that an object changed, then the
 * object itself is read: the agent never holds, and never watches, more than it applies.
 */
export class LiveObjects {
  readonly #options: LiveObjectsOptions;
  readonly #tracked = new Map<string, Tracked>();
  readonly #watches = new Map<string, Scope & { close(): void }>();

  constructor(options: LiveObjectsOptions) {
    this.#options = options;
  }

  get(ref: ObjectRef): Live {
    return this.#tracked.get(idOf(ref))?.live ?? { state: 'unknown' };
  }

  isTracking(work: string, ref: ObjectRef): boolean {
    return this.#tracked.get(idOf(ref))?.works.has(work) ?? false;
  }

  /** From now on `work` hears of these objects, and of no others. */
  track(work: string, refs: readonly ObjectRef[]): void {
    const wanted = new Map(refs.map((ref) => [idOf(ref), ref]));
    for (const [id, tracked] of this.#tracked) {
      if (wanted.has(id) || !tracked.works.delete(work)) continue;
      if (tracked.works.size === 0) this.#tracked.delete(id);
    }
    for (const [id, ref] of wanted) {
      const tracked = this.#tracked.get(id) ?? { ref, works: new Set<string>(), live: { state: 'unknown' }, reading: undefined };
      tracked.works.add(work);
      this.#tracked.set(id, tracked);
      this.#watch(ref);
      if (tracked.live.state === 'unknown') this.#read(tracked, '');
    }
    this.#closeUnused();
  }

  /** What a write of ours answered: known at once, before its event comes. */
  wrote(ref: ObjectRef, object: KubeObject | undefined): void {
    const tracked = this.#tracked.get(idOf(ref));
    if (tracked) this.#set(tracked, object ? { state: 'present', object } : { state: 'absent' });
  }

  #watch(ref: ObjectRef): void {
    const id = watchIdOf(ref);
    if (this.#watches.has(id)) return;
    const { client, runtime } = this.#options;
    const scope = runtime.scope.child(`live ${id}`);
    this.#watches.set(id, scope);
    void this.#follow(ref, reflect({ client, runtime, kind: ref.kind, metadataOnly: true, ...selectionOf(ref) }, scope.signal));
  }

  async #follow(ref: ObjectRef, events: ReturnType<typeof reflect>): Promise<void> {
    const seen = new Set<string>();
    for await (const event of events) {
      if (event.type === 'Init') seen.clear();
      else if (event.type === 'InitApply' || event.type === 'Apply') {
        const id = idOf({ kind: ref.kind, namespace: event.object.metadata.namespace ?? '', name: event.object.metadata.name ?? '' });
        seen.add(id);
        const tracked = this.#tracked.get(id);
        const revision = event.object.metadata.resourceVersion ?? '';
        if (tracked && revisionOf(tracked.live) !== revision) this.#read(tracked, revision);
      } else if (event.type === 'Delete') {
        const tracked = this.#tracked.get(idOf({ ...ref, ...keyOf(event.object) }));
        if (tracked) this.#set(tracked, { state: 'absent' });
      } else if (event.type === 'InitDone') {
        for (const [id, tracked] of this.#tracked) {
          if (watchIdOf(tracked.ref) === watchIdOf(ref) && !seen.has(id)) this.#set(tracked, { state: 'absent' });
        }
      }
    }
  }

  /** Reads an object again; news that arrives while it is being read makes it be read once more. */
  #read(tracked: Tracked, revision: string): void {
    if (tracked.reading !== undefined) {
      tracked.reading = revision;
      return;
    }
    tracked.reading = revision;
    void this.#readNow(tracked);
  }

  async #readNow(tracked: Tracked): Promise<void> {
    const { client, runtime } = this.#options;
    const { ref } = tracked;
    const asked = tracked.reading;
    try {
      const key = ref.namespace === '' ? { name: ref.name } : { name: ref.name, namespace: ref.namespace };
      const object = await client.get(ref.kind, key, { signal: runtime.scope.signal });
      this.#set(tracked, { state: 'present', object });
    } catch (error) {
      if (isApiError(error, 'NotFound')) this.#set(tracked, { state: 'absent' });
      else runtime.log.warn({ object: idOf(ref), error: String(error) }, 'object could not be read');
    }
    const news = tracked.reading;
    tracked.reading = undefined;
    if (news !== asked && news !== revisionOf(tracked.live)) this.#read(tracked, news ?? '');
  }

  #set(tracked: Tracked, live: Live): void {
    if (revisionOf(tracked.live) === revisionOf(live) && tracked.live.state === live.state) return;
    tracked.live = live;
    this.#options.changed(tracked.works);
  }

  #closeUnused(): void {
    const used = new Set([...this.#tracked.values()].map(({ ref }) => watchIdOf(ref)));
    for (const [id, scope] of this.#watches) {
      if (used.has(id)) continue;
      this.#watches.delete(id);
      scope.close();
    }
  }

  close(): void {
    for (const scope of this.#watches.values()) scope.close();
    this.#watches.clear();
  }
}

function revisionOf(live: Live): string {
  return live.state === 'present' ? (live.object.metadata.resourceVersion ?? '') : live.state;
}

function selectionOf({ kind, namespace }: ObjectRef): { selection?: { namespace: string } } {
  return kind.namespaced ? { selection: { namespace } } : {};
}

function watchIdOf({ kind, namespace }: ObjectRef): string {
  return `${kind.plural}.${kind.group}/${namespace}`;
}

export function idOf({ kind, namespace, name }: ObjectRef): string {
  return `${kind.plural}.${kind.group} ${keyString(namespace === '' ? { name } : { name, namespace })}`;
}
