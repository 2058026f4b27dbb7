import { managedClusters } from '@outrigger/api';
import { ApiError, isApiError } from '@outrigger/core';
import type { EffectContext, EffectHandler } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';

/** A ManagedCluster is asked for twice, this long apart, before anything of it is removed. */
export const GONE_AFTER_MS = 10_000;
/** So many clusters may be gone at once without a confirmation, or this share of all. */
const UNGUARDED_COUNT = 5;
const UNGUARDED_SHARE = 0.2;

/**
 * ManagedClusters that are gone although the hub has not released them: their finalizers were taken off, or never ran. Known to this process
 * only: after a restart it begins anew.
 */
export class GoneClusters {
  readonly #seen = new Set<string>();
  /** When the server first answered that there is none, by the monotonic clock; undefined before it was asked. */
  readonly #gone = new Map<string, number | undefined>();

  /** The cluster is there. */
  alive(name: string): void {
    this.#seen.add(name);
    this.#gone.delete(name);
  }

  /** Whether this process has seen the cluster. One it has not seen may be about to come back, in the course of a restore. */
  wasSeen(name: string): boolean {
    return this.#seen.has(name);
  }

  /** The caches have none. */
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

/** Whether so many clusters are gone that it may be a mistake: then each waits until a person confirms. */
export function isMassLoss(gone: number, living: number): boolean {
  return gone > Math.max(UNGUARDED_COUNT, UNGUARDED_SHARE * (gone + living));
}

export const CONFIRM_GONE = 'confirm-gone';

/**
 * Asks the server itself whether a cluster is gone. Fails, which keeps the stages after it from being carried out, if it is there, or if
 * ManagedClusters are not served at all: then nothing is known about clusters.
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
  // A kind that is not served is not found either, but cannot be listed.
  const { items } = await hub.list(managedClusters, { fieldSelector: `metadata.name=${name}`, limit: 1, signal });
  return items.length > 0;
}
