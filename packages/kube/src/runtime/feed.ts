import { type Cancel, errorMessage, type Runtime } from '@outrigger/core';
import type { ResourceStore } from '../cache/store.js';
import type { Client } from '../client/types.js';

/** Keeps a store fed until cancelled. `onSynced` is called after every complete list. */
export function feed(store: ResourceStore, client: Client, runtime: Runtime, onSynced: () => void): Cancel {
  const stop = new AbortController();
  void run(store, client, runtime, onSynced, stop.signal);
  return () => stop.abort(new Error('stopped'));
}

async function run(store: ResourceStore, client: Client, runtime: Runtime, onSynced: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      let resourceVersion = await relist(store, client, signal);
      onSynced();
      for (;;) resourceVersion = await follow(store, client, resourceVersion, signal);
    } catch (error) {
      if (signal.aborted) return;
      runtime.log.debug({ resource: store.resource.name, error: errorMessage(error) }, 'watch restarted');
      await runtime.timers.sleep(100 + 400 * runtime.random.next(), signal).catch(() => undefined);
    }
  }
}

async function relist(store: ResourceStore, client: Client, signal: AbortSignal): Promise<string> {
  const { kind, namespace, labelSelector, fieldSelector, metadataOnly } = store.resource;
  const selection = { ...(namespace ? { namespace } : {}), ...(labelSelector ? { labelSelector } : {}), ...(fieldSelector ? { fieldSelector } : {}) };
  store.beginRelist();
  let token: string | undefined;
  for (;;) {
    const page = await client.list(kind, { ...selection, limit: 500, ...(token ? { continue: token } : {}), signal, ...(metadataOnly ? { metadataOnly } : {}) });
    for (const item of page.items) store.relistItem(item);
    token = page.metadata.continue;
    if (!token) {
      store.endRelist(page.metadata.resourceVersion ?? '');
      return page.metadata.resourceVersion ?? '';
    }
  }
}

async function follow(store: ResourceStore, client: Client, from: string, signal: AbortSignal): Promise<string> {
  const { kind, namespace, labelSelector, fieldSelector, metadataOnly } = store.resource;
  const selection = { ...(namespace ? { namespace } : {}), ...(labelSelector ? { labelSelector } : {}), ...(fieldSelector ? { fieldSelector } : {}) };
  let resourceVersion = from;
  for await (const event of client.watch(kind, { ...selection, resourceVersion, allowBookmarks: true, timeoutSeconds: 300, signal, ...(metadataOnly ? { metadataOnly } : {}) })) {
    if (event.type === 'ERROR') throw new Error('watch ended by the server');
    resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
    if (event.type === 'BOOKMARK') store.bookmark(resourceVersion);
    else if (event.type === 'DELETED') store.remove(event.object);
    else store.apply(event.object);
  }
  return resourceVersion;
}
