import { type Kind, type KubeObject, type Runtime, errorMessage, keyOf, keyString } from '@outrigger/core';
import { type Client, reflect } from '@outrigger/kube';
import { listOf } from './objects.js';

/** Provides the objects for a view, either with a request to the hub each time or from watches. */
export interface Source {
  list<T extends KubeObject>(kind: Kind<T>, namespace?: string): Promise<readonly T[]>;
}

export function askingSource(hub: Client): Source {
  return { list: (kind, namespace) => listOf(hub, kind, namespace) };
}

export interface WatchingSource extends Source {
  /** Resolves when a listed object has changed since the last call, or when the signal is aborted. */
  changed(signal: AbortSignal): Promise<void>;
}

export interface WatchingOptions {
  readonly hub: Client;
  readonly runtime: Runtime;
  /** The signal that ends the watches. */
  readonly signal: AbortSignal;
  /** Called when an established watch is lost. The watch is reopened automatically. */
  readonly onLost: (message: string) => void;
}

/** Lists each kind on first use and watches it from then on. Fails if the hub does not respond to the first list. */
export function watchingSource(options: WatchingOptions): WatchingSource {
  const followed = new Map<string, Followed>();
  let hasChanged = false;
  let wake: () => void = () => undefined;
  const onChange = (): void => {
    hasChanged = true;
    wake();
  };
  return {
    async list<T extends KubeObject>(kind: Kind<T>, namespace?: string): Promise<readonly T[]> {
      const id = `${kind.group}/${kind.plural}/${namespace ?? ''}`;
      const one = followed.get(id) ?? follow(kind, namespace, options, onChange);
      followed.set(id, one);
      await one.isListed;
      return [...one.objects.values()] as T[];
    },
    async changed(signal) {
      if (!hasChanged && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
      hasChanged = false;
    },
  };
}

interface Followed {
  readonly objects: ReadonlyMap<string, KubeObject>;
  readonly isListed: Promise<void>;
}

function follow(kind: Kind, namespace: string | undefined, options: WatchingOptions, onChange: () => void): Followed {
  const objects = new Map<string, KubeObject>();
  const isListed = new Promise<void>((resolve, reject) => {
    let hasListed = false;
    const onFailure = (error: unknown): void => {
      if (hasListed) options.onLost(errorMessage(error));
      else reject(error instanceof Error ? error : new Error(errorMessage(error)));
    };
    const onListed = (): void => {
      hasListed = true;
      resolve();
    };
    keep(objects, kind, namespace, options, { onFailure, onListed, onChange }).then(resolve, onFailure);
  });
  return { objects, isListed };
}

interface Listeners {
  readonly onFailure: (error: unknown) => void;
  readonly onListed: () => void;
  readonly onChange: () => void;
}

/** Keeps `objects` in sync with the objects on the hub until the signal is aborted. */
async function keep(
  objects: Map<string, KubeObject>,
  kind: Kind,
  namespace: string | undefined,
  { hub, runtime, signal }: WatchingOptions,
  { onFailure, onListed, onChange }: Listeners,
): Promise<void> {
  const selection = namespace === undefined ? {} : { namespace };
  let seen = new Set<string>();
  for await (const event of reflect({ client: hub, runtime, kind, selection, onFailure }, signal)) {
    if (event.type === 'Init') seen = new Set();
    if (event.type === 'InitApply') seen.add(keyString(keyOf(event.object)));
    if (event.type === 'InitApply' || event.type === 'Apply') objects.set(keyString(keyOf(event.object)), event.object);
    if (event.type === 'Delete') objects.delete(keyString(keyOf(event.object)));
    if (event.type === 'InitDone') {
      for (const key of objects.keys()) if (!seen.has(key)) objects.delete(key);
      onListed();
    }
    if (event.type === 'InitDone' || event.type === 'Apply' || event.type === 'Delete') onChange();
  }
}
