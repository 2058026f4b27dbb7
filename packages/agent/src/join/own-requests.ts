import { type CertificateSigningRequest, certificateSigningRequests } from '@outrigger/api';
import { type Cancel, type KubeObject, type ObjectKey, type Runtime, backoffMs, errorMessage, isApiError } from '@outrigger/core';
import { type CacheView, type Client, type Resource, type Source, type SourceContext, type Watch, watch } from '@outrigger/kube';
import type { RequestProjection } from '../resources/requests.js';

/** The agent's certificate requests for itself, as far as it may read them. */
export interface OwnRequests {
  readonly watches: readonly Watch[];
  readonly sources: readonly Source[];
  list(view: CacheView): readonly RequestProjection[];
  /** Whether the state of the request with this name is known. Only then does a missing projection mean that the request does not exist. */
  isFollowing(name: string): boolean;
  follow(name: string): Promise<void>;
}

/** Returns the requests of a joined agent, which may watch the requests of its cluster. */
export function watchedRequests(resource: Resource<RequestProjection, 'addOnName'>, key: ObjectKey): OwnRequests {
  return {
    watches: [watch(resource, ({ before, after }) => ((after ?? before)?.addOnName === '' ? [key] : []))],
    sources: [],
    list: (view) => view.byIndex(resource, 'addOnName', ''),
    isFollowing: () => true,
    follow: async () => undefined,
  };
}

const WATCH_BACKOFF = { baseMs: 1_000, maxMs: 15_000 } as const;
const WATCH_SECONDS = 300;
/** The maximum number of denied requests that increase the back-off. */
const MAX_REFUSALS = 8;

export interface NamedRequestsOptions {
  readonly hub: Client;
  readonly runtime: Runtime;
  readonly project: (object: KubeObject) => RequestProjection;
  /** The key to wake when the request changes. */
  readonly key: ObjectKey;
}

/**
 * The requests of a joining agent, which may only create one request and read it by name. The agent therefore follows the request that it
 * created, and keeps earlier denials in memory.
 */
export class NamedRequests implements OwnRequests, Source {
  readonly watches: readonly Watch[] = [];
  readonly sources: readonly Source[] = [this];
  readonly #options: NamedRequestsOptions;
  readonly #refused = new Map<string, RequestProjection>();
  #following: { readonly name: string; readonly stop: AbortController } | undefined;
  #current: RequestProjection | undefined;
  #wake = (): void => undefined;
  readonly #ended = new AbortController();

  constructor(options: NamedRequestsOptions) {
    this.#options = options;
  }

  /** Wakes the key immediately, because an agent that has not joined may have no object whose event would wake it. */
  start({ wake }: SourceContext): Cancel {
    this.#wake = () => wake(this.#options.key);
    this.#wake();
    return () => {
      this.#ended.abort();
      this.#following?.stop.abort();
    };
  }

  list(): readonly RequestProjection[] {
    const current = this.#current;
    const past = [...this.#refused.values()].filter(({ key }) => key.name !== current?.key.name);
    return current ? [...past, current] : past;
  }

  isFollowing(name: string): boolean {
    return this.#following?.name === name;
  }

  async follow(name: string): Promise<void> {
    this.#following?.stop.abort();
    const found = await this.#read(name, this.#ended.signal);
    const stop = new AbortController();
    this.#following = { name, stop };
    this.#see(found);
    void this.#watch(name, stop.signal);
  }

  /** Reads the request. A join token may read the request only after it was created, so Forbidden means that it does not exist. */
  async #read(name: string, signal: AbortSignal): Promise<CertificateSigningRequest | undefined> {
    try {
      return await this.#options.hub.get(certificateSigningRequests, { name }, { signal });
    } catch (error) {
      if (isApiError(error, 'NotFound') || isApiError(error, 'Forbidden')) return undefined;
      throw error;
    }
  }

  async #watch(name: string, signal: AbortSignal): Promise<void> {
    const { hub, runtime } = this.#options;
    let failures = 0;
    while (!signal.aborted && !runtime.scope.isCut) {
      try {
        // A watch does not report that the request was deleted before the watch started.
        if (failures > 0 && this.#current && !(await this.#read(name, signal))) this.#see(undefined);
        const selection = { fieldSelector: `metadata.name=${name}`, timeoutSeconds: WATCH_SECONDS };
        for await (const { type, object } of hub.watch(certificateSigningRequests, { ...selection, signal })) {
          failures = 0;
          if (type === 'ADDED' || type === 'MODIFIED') this.#see(object);
          else if (type === 'DELETED') this.#see(undefined);
          else if (type === 'ERROR') break;
        }
      } catch (error) {
        if (!signal.aborted) runtime.log.debug({ request: name, error: errorMessage(error) }, 'certificate request cannot be watched yet');
      }
      await runtime.timers.sleep(backoffMs(++failures, WATCH_BACKOFF), signal).catch(() => undefined);
    }
  }

  #see(object: KubeObject | undefined): void {
    this.#current = object && this.#options.project(object);
    if (this.#current?.outcome.type === 'refused') this.#remember(this.#current);
    this.#wake();
  }

  #remember(request: RequestProjection): void {
    this.#refused.set(request.key.name, request);
    if (this.#refused.size > MAX_REFUSALS) this.#refused.delete(this.#refused.keys().next().value as string);
  }
}
