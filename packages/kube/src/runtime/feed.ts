import type { Cancel, Runtime } from '@outrigger/core';
import type { ResourceStore } from '../cache/store.js';
import { reflect } from '../client/reflect.js';
import type { ReflectorEvent } from '../client/reflector.js';
import type { Client, Selection } from '../client/types.js';
import type { Resource } from '../resource.js';

export interface Feed {
  readonly store: ResourceStore;
  readonly client: Client;
  readonly runtime: Runtime;
  /** Called after every complete list. */
  readonly onSynced: () => void;
  /** Called after every failed request. The feed itself retries the request. */
  readonly onFailure: (error: unknown) => void;
  /** Called when the watch ended because of a bug in this program. From then on the store is no longer updated. */
  readonly onDefect: (error: unknown) => void;
}

/** Keeps a store up to date with its API server until cancelled. */
export function feed(options: Feed): Cancel {
  const stop = new AbortController();
  void follow(options, stop.signal).catch(options.onDefect);
  return () => stop.abort(new Error('the manager was stopped'));
}

async function follow({ store, client, runtime, onSynced, onFailure }: Feed, signal: AbortSignal): Promise<void> {
  const { kind, metadataOnly = false, gatherMs } = store.resource;
  const selection = selectionOf(store.resource);
  for await (const event of reflect({ client, runtime, kind, selection, metadataOnly, gatherMs, onFailure }, signal)) {
    applyTo(store, event);
    if (event.type === 'InitDone') onSynced();
  }
}

function selectionOf({ namespace, labelSelector, fieldSelector }: Resource): Selection {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

function applyTo(store: ResourceStore, event: ReflectorEvent): void {
  switch (event.type) {
    case 'Init':
      store.beginRelist();
      return;
    case 'InitApply':
      store.relistItem(event.object);
      return;
    case 'InitDone':
      store.endRelist(event.resourceVersion);
      return;
    case 'Apply':
      store.apply(event.object);
      return;
    case 'Delete':
      store.remove(event.object);
      return;
    case 'Bookmark':
      store.bookmark(event.resourceVersion);
  }
}
