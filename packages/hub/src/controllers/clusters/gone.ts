import { managedClusters } from '@outrigger/api';
import { ApiError, isApiError } from '@outrigger/core';
import type { EffectContext, EffectHandler } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';

/** The hub asks the API server for a ManagedCluster twice, this long apart, before it removes anything. */
export const GONE_AFTER_MS = 10_000;
/** This many clusters, or this share of all, may be gone at once without a confirmation. */
const UNGUARDED_COUNT = 5;
const UNGUARDED_SHARE = 0.2;

/**
 * ManagedClusters that are gone although the hub has not released them, because their finalizers were removed or never handled. This is
 * kept in memory only: after a restart it starts empty.
 */
export class GoneClusters {
  readonly #seen = new Set<string>();
  /** When the server first answered that the cluster does not exist, by the monotonic clock; undefined before it was asked. */
  readonly #gone = new Map<string, number | undefined>();

  /** The ManagedCluster exists. */
  alive(name: string): void {
    this.#seen.add(name);
    this.#gone.delete(name);
  }

  /** Whether this process has seen the cluster. During a restore, a cluster that it has not seen may still be about to come back. */
  wasSeen(name: string): boolean {
    return this.#seen.has(name);
  }

  /** The ManagedCluster is not in the caches. */
  missing(name: string): void {
    if (!this.#gone.has(name)) this.#gone.set(name, undefined);
  }

  confirmed(name: string, monotonic: number): void {
    if (this.#gone.get(name) === undefined) this.#gone.set(name, monotonic);
  }

  goneSince(name: string): number | undefined {
    return this.#gone.get(name);
  }

  /** Nothing of the cluster is left. */
  forget(name: string): void {
    this.#gone.delete(name);
    this.#seen.delete(name);
  }

  get count(): number {
    return this.#gone.size;
  }
}

/** Whether so many clusters are gone that it may be a mistake. Then each of them waits for a person's confirmation. */
export function isMassLoss(gone: number, living: number): boolean {
  return gone > Math.max(UNGUARDED_COUNT, UNGUARDED_SHARE * (gone + living));
}

export const CONFIRM_GONE = 'confirm-gone';

/**
 * Asks the API server whether a cluster is gone. It fails, so that no later stage is executed, if the cluster exists, or if ManagedClusters
 * are not served at all and nothing can be concluded.
 */
export function confirmGone(gone: GoneClusters): EffectHandler {
  return async (input, context) => {
    const name = input as string;
    if (await exists(name, context)) {
      gone.alive(name);
      throw new ApiError('Conflict', `the caches are behind: ManagedCluster ${name} exists`);
    }
    gone.confirmed(name, context.runtime.clock.monotonic());
  };
}

async function exists(name: string, context: EffectContext): Promise<boolean> {
  const hub = context.client(HUB);
  const { signal } = context;
  try {
    await hub.get(managedClusters, { name }, { signal });
    return true;
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
  // A get of a kind that is not served returns NotFound too, but a list fails.
  const { items } = await hub.list(managedClusters, { fieldSelector: `metadata.name=${name}`, limit: 1, signal });
  return items.length > 0;
}
