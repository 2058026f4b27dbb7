import { type Cancel, errorMessage, type Runtime } from '@outrigger/core';
import type { Cache } from '../cache/cache.js';
import type { Client } from '../client/types.js';
import type { ApiName, Resource } from '../resource.js';
import { feed } from './feed.js';
import type { RuntimeMetrics } from './metrics.js';
import { SharedFeeds } from './shared-feeds.js';
import type { Troubles } from './troubles.js';

export interface ResourceReadingOptions {
  readonly runtime: Runtime;
  readonly apis: Readonly<Record<ApiName, Client>>;
  readonly cache: Cache;
  readonly metrics: RuntimeMetrics;
  readonly troubles: Troubles;
  /** The resources of the controllers. */
  readonly resources: ReadonlySet<Resource>;
}

/** Feeds the caches of the controllers, and knows which resources were read completely. */
export class ResourceReading {
  readonly #options: ResourceReadingOptions;
  readonly #feeds: SharedFeeds;
  /** The controllers' resources that have not been read completely yet. */
  readonly #missing: Set<Resource>;
  /** Called when the first list of a kind has completed, or when the server has rejected it. */
  #noticeRead = (): void => undefined;
  #giveUp = (): void => undefined;

  constructor(options: ResourceReadingOptions) {
    this.#options = options;
    this.#missing = new Set(options.resources);
    this.#feeds = new SharedFeeds(
      (resource, onSynced) => this.#open(resource, onSynced),
      (resource) => options.cache.drop(resource),
    );
  }

  /** Whether every resource was read completely. */
  get isComplete(): boolean {
    return this.#missing.size === 0;
  }

  /** Whether every resource was read completely or rejected by its server. */
  get hasReadAll(): boolean {
    return Array.from(this.#missing).every((resource) => this.#options.troubles.has(resource));
  }

  isRead(resource: Resource): boolean {
    return !this.#missing.has(resource);
  }

  /**
   * Opens the feeds. Calls `onRead` now, and again after each resource that was read or rejected. Resolves when `hasReadAll` is true, or
   * when the reading is stopped.
   */
  start(onRead: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.#giveUp = resolve;
      this.#noticeRead = () => {
        onRead();
        if (this.hasReadAll) resolve();
      };
      for (const resource of this.#options.resources) {
        this.#feeds.hold(resource, () => this.#missing.delete(resource) && this.#noticeRead());
      }
      this.#noticeRead();
    });
  }

  /**
   * Keeps the feed of a resource open until cancelled. Calls `onComplete` after every complete list, and immediately if there already was a
   * complete list.
   */
  hold(resource: Resource, onComplete: () => void): Cancel {
    return this.#feeds.hold(resource, onComplete);
  }

  stop(): void {
    this.#feeds.stop();
    this.#giveUp();
  }

  #open(resource: Resource, onSynced: () => void): Cancel {
    const { runtime, apis, cache, metrics, troubles } = this.#options;
    const store = cache.add(resource);
    return feed({
      store,
      client: apis[resource.api] as Client,
      runtime,
      onSynced: () => {
        metrics.cachedProjections(resource.name, store.size);
        troubles.solved(resource);
        onSynced();
      },
      onFailure: (error) => {
        if (troubles.failed(resource, error)) this.#missing.delete(resource);
        this.#noticeRead();
      },
      onDefect: (error) =>
        runtime.log.error(
          { resource: resource.name, error: errorMessage(error) },
          'the watch of a resource ended; its cache is not updated any more',
        ),
    });
  }
}
