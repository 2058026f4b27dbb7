import {
  type Cancel,
  type Kind,
  type ObjectKey,
  type ObjectMeta,
  type Runtime,
  type Scope,
  errorMessage,
  isApiError,
} from '@outrigger/core';
import { specHash } from '@outrigger/core/hash';
import { type CacheView, type Client, type Source, reflect } from '@outrigger/kube';
import { type ConfigProblem, type ConfigRef, groupResource, refKey } from '@outrigger/rules/configuration';

/** The digest and generation of a followed object. Its content is read and hashed but not kept, because it may be a Secret. */
export interface ConfigDigest {
  readonly specHash: string;
  readonly generation: number;
}

export interface FollowedConfigsOptions {
  readonly client: Client;
  readonly runtime: Runtime;
  /** When this many objects of one kind are followed, one watch of the whole kind replaces the watches of single objects. */
  readonly wideFrom?: number;
  /** The delay before the next attempt if a kind is not served or an object could not be read. */
  readonly retryMs?: number;
}

/** Reports that the digest of an object, or the reason why it cannot be read, has changed. */
export interface ConfigChange {
  readonly ref: ConfigRef;
  readonly before: ConfigDigest | ConfigProblem;
  readonly after: ConfigDigest | ConfigProblem;
}

type ClosableScope = Scope & { close(): void };

interface Followed {
  readonly ref: ConfigRef;
  known: ConfigDigest | ConfigProblem;
  /** The uid and resourceVersion of the object when it was last read. */
  readUid: string;
  readRevision: string;
  isReading: boolean;
  /** Metadata from an event that arrived while the object was being read. This metadata may be newer than the object that was read. */
  news: ObjectMeta | undefined;
  watch: ClosableScope | undefined;
}

interface FollowedKind {
  readonly objects: Map<string, Followed>;
  /** The kind; undefined until discovery shows that the server serves it. */
  kind: Kind | undefined;
  wide: ClosableScope | undefined;
  retry: Cancel;
}

const DEFAULT_WIDE_FROM = 100;
const DEFAULT_RETRY_MS = 10_000;
/** The number of retry delays after which an object that was never read no longer counts as unread. */
const UNREAD_RETRIES = 6;

/**
 * Follows config objects whose kinds the manager does not cache. When a metadata watch shows that an object changed, reads the object to
 * compute its digest. If the server does not serve a kind or denies access to it, retries that kind without affecting other kinds.
 */
export class FollowedConfigs {
  readonly #options: FollowedConfigsOptions;
  readonly #kinds = new Map<string, FollowedKind>();
  readonly #listeners = new Set<(change: ConfigChange) => void>();

  constructor(options: FollowedConfigsOptions) {
    this.#options = options;
  }

  /** Returns a source that wakes the keys that `keysOf` returns for a change. When the last source ends, all watches end. */
  source(keysOf: (change: ConfigChange, view: CacheView) => Iterable<ObjectKey>): Source {
    return {
      start: ({ wake, view }) => {
        const listener = (change: ConfigChange): void => {
          for (const key of keysOf(change, view)) wake(key);
        };
        this.#listeners.add(listener);
        return () => {
          this.#listeners.delete(listener);
          if (this.#listeners.size === 0) this.close();
        };
      },
    };
  }

  get(ref: ConfigRef): ConfigDigest | ConfigProblem {
    return this.#find(ref)?.known ?? 'Unread';
  }

  isFollowing(ref: ConfigRef): boolean {
    return this.#find(ref) !== undefined;
  }

  follow(ref: ConfigRef): void {
    if (this.isFollowing(ref)) return;
    const id = groupResource(ref);
    const of = this.#kinds.get(id) ?? { objects: new Map(), kind: undefined, wide: undefined, retry: () => undefined };
    const followed: Followed = {
      ref,
      known: 'Unread',
      readUid: '',
      readRevision: '',
      isReading: false,
      news: undefined,
      watch: undefined,
    };
    of.objects.set(refKey(ref), followed);
    this.#endUnread(followed);
    if (!this.#kinds.has(id)) {
      this.#kinds.set(id, of);
      void this.#resolve(of, ref);
    } else if (of.kind) this.#watch(of, followed);
  }

  /**
   * Add-ons and their rollout wait while one of their configs is unread. An API server that fails for one kind, for example because of its
   * conversion webhook, must not stop them for long, so the object then counts as failing until it is read.
   */
  #endUnread(followed: Followed): void {
    this.#options.runtime.timers.after(UNREAD_RETRIES * this.#retryMs(), () => {
      if (followed.known === 'Unread' && this.#find(followed.ref) === followed) this.#set(followed, 'Failing');
    });
  }

  unfollow(ref: ConfigRef): void {
    const of = this.#kinds.get(groupResource(ref));
    const followed = of?.objects.get(refKey(ref));
    if (!of || !followed) return;
    of.objects.delete(refKey(ref));
    followed.watch?.close();
    if (of.objects.size > 0) return;
    this.#stop(of);
    this.#kinds.delete(groupResource(ref));
  }

  close(): void {
    for (const of of this.#kinds.values()) this.#stop(of);
    this.#kinds.clear();
  }

  #retryMs(): number {
    return this.#options.retryMs ?? DEFAULT_RETRY_MS;
  }

  #find(ref: ConfigRef): Followed | undefined {
    return this.#kinds.get(groupResource(ref))?.objects.get(refKey(ref));
  }

  #stop(of: FollowedKind): void {
    of.retry();
    of.wide?.close();
    for (const followed of of.objects.values()) followed.watch?.close();
  }

  /** Looks up the kind in the server's discovery documents, and retries until the server serves it. */
  async #resolve(of: FollowedKind, { group, resource }: ConfigRef): Promise<void> {
    const { client, runtime } = this.#options;
    try {
      client.discovery.invalidate();
      const served = (await client.discovery.resources()).find((it) => it.group === group && it.plural === resource);
      if (of.objects.size === 0 || runtime.scope.isCut) return;
      if (served) {
        const { version, kind, plural, namespaced } = served;
        of.kind = { group, version, kind, plural, namespaced };
        for (const followed of of.objects.values()) this.#watch(of, followed);
        return;
      }
      for (const followed of of.objects.values()) this.#set(followed, 'NotServed');
    } catch (error) {
      runtime.log.warn({ group, resource, error: errorMessage(error) }, 'discovery failed, will be retried');
    }
    this.#resolveLater(of, { group, resource });
  }

  #resolveLater(of: FollowedKind, kind: Pick<ConfigRef, 'group' | 'resource'>): void {
    of.retry();
    of.retry = this.#options.runtime.timers.after(this.#retryMs(), () => {
      if (of.objects.size > 0 && !of.kind) void this.#resolve(of, { ...kind, namespace: '', name: '' });
    });
  }

  #watch(of: FollowedKind, followed: Followed): void {
    const { kind } = of;
    if (!kind) return;
    if (!fits(kind, followed)) {
      this.#set(followed, kind.namespaced ? 'NoNamespace' : 'NotFound');
      return;
    }
    // Keep the watch of the whole kind until none of its objects is followed, because switching back and forth would list the kind each
    // time.
    if (of.wide) {
      this.#read(followed, kind);
    } else if (of.objects.size >= (this.#options.wideFrom ?? DEFAULT_WIDE_FROM)) {
      for (const other of of.objects.values()) other.watch?.close();
      of.wide = this.#options.runtime.scope.child(`configurations ${kind.plural}`);
      void this.#reflect(of, kind, of.wide, () => [...of.objects.values()].filter((other) => fits(kind, other)), {});
    } else {
      const { namespace, name } = followed.ref;
      followed.watch = this.#options.runtime.scope.child(`configuration ${refKey(followed.ref)}`);
      const selection = { ...(kind.namespaced ? { namespace } : {}), fieldSelector: `metadata.name=${name}` };
      void this.#reflect(of, kind, followed.watch, () => [followed], selection);
    }
  }

  async #reflect(
    of: FollowedKind,
    kind: Kind,
    scope: ClosableScope,
    all: () => Iterable<Followed>,
    selection: { readonly namespace?: string; readonly fieldSelector?: string },
  ): Promise<void> {
    const { client, runtime } = this.#options;
    const onFailure = (error: unknown): void => this.#failed(of, kind, all(), error);
    const events = reflect({ client, runtime, kind, selection, metadataOnly: true, onFailure }, scope.signal);
    const seen = new Set<Followed>();
    for await (const event of events) {
      const followed = 'object' in event ? of.objects.get(refKey(refOf(kind, event.object.metadata))) : undefined;
      if (event.type === 'Init') seen.clear();
      else if (event.type === 'InitDone') {
        for (const missing of all()) if (!seen.has(missing)) this.#set(missing, 'NotFound');
      } else if (followed && event.type === 'Delete') this.#set(followed, 'NotFound');
      else if (followed && 'object' in event) {
        seen.add(followed);
        this.#noticed(followed, kind, event.object.metadata);
      }
    }
  }

  /**
   * Starts again with discovery if the server no longer serves the kind. Does nothing else after other failures, because the watch retries
   * by itself.
   */
  #failed(of: FollowedKind, kind: Kind, objects: Iterable<Followed>, error: unknown): void {
    if (isApiError(error, 'Forbidden')) for (const followed of objects) this.#set(followed, 'Forbidden');
    if (!isApiError(error, 'NotFound') || !of.kind) return;
    this.#stop(of);
    of.kind = undefined;
    of.wide = undefined;
    for (const followed of of.objects.values()) this.#set(followed, 'NotServed');
    this.#resolveLater(of, { group: kind.group, resource: kind.plural });
  }

  #noticed(followed: Followed, kind: Kind, metadata: ObjectMeta): void {
    if (followed.isReading) {
      followed.news = metadata;
      return;
    }
    if (!this.#isNews(followed, metadata)) return;
    this.#read(followed, kind);
  }

  /**
   * Whether a hashed field may have changed. Every such change increases the generation; for kinds without a generation, the
   * resourceVersion is compared.
   */
  #isNews({ known, readUid, readRevision }: Followed, { uid = '', generation = 0, resourceVersion = '' }: ObjectMeta): boolean {
    if (typeof known === 'string' || uid !== readUid) return true;
    return generation > 0 ? generation !== known.generation : resourceVersion !== readRevision;
  }

  #read(followed: Followed, kind: Kind): void {
    if (followed.isReading) return;
    followed.isReading = true;
    void this.#readNow(followed, kind);
  }

  async #readNow(followed: Followed, kind: Kind): Promise<void> {
    const { client, runtime } = this.#options;
    const { namespace, name } = followed.ref;
    let isFailed = false;
    try {
      const object = await client.get(kind, namespace === '' ? { name } : { name, namespace }, { signal: runtime.scope.signal });
      const { uid = '', resourceVersion = '', generation = 0 } = object.metadata;
      followed.readUid = uid;
      followed.readRevision = resourceVersion;
      this.#set(followed, { specHash: specHash(object), generation });
    } catch (error) {
      if (isApiError(error, 'NotFound')) this.#set(followed, 'NotFound');
      else if (isApiError(error, 'Forbidden')) this.#set(followed, 'Forbidden');
      else {
        isFailed = true;
        runtime.log.warn(
          { configuration: refKey(followed.ref), error: errorMessage(error) },
          'configuration could not be read, trying again',
        );
      }
    }
    followed.isReading = false;
    const { news } = followed;
    followed.news = undefined;
    if (!this.isFollowing(followed.ref) || runtime.scope.isCut) return;
    if (news && this.#isNews(followed, news)) this.#read(followed, kind);
    else if (isFailed) runtime.timers.after(this.#retryMs(), () => this.isFollowing(followed.ref) && this.#read(followed, kind));
  }

  #set(followed: Followed, known: ConfigDigest | ConfigProblem): void {
    const before = followed.known;
    if (digestOf(before) === digestOf(known)) {
      followed.known = known;
      return;
    }
    followed.known = known;
    for (const listener of this.#listeners) listener({ ref: followed.ref, before, after: known });
  }
}

function digestOf(known: ConfigDigest | ConfigProblem): string {
  return typeof known === 'string' ? known : known.specHash;
}

/** A reference with a namespace to a cluster-scoped kind matches no object, nor does one without a namespace to a namespaced kind. */
function fits({ namespaced }: Kind, { ref }: Followed): boolean {
  return namespaced === (ref.namespace !== '');
}

function refOf({ group, plural, namespaced }: Kind, { name = '', namespace = '' }: ObjectMeta): ConfigRef {
  return { group, resource: plural, namespace: namespaced ? namespace : '', name };
}
