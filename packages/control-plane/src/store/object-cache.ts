import type { KubeObject } from '@outrigger/core';

interface Cached {
  readonly object: KubeObject;
  readonly bytes: number;
}

export interface CacheLimits {
  readonly maxObjects: number;
  /** The maximum size of all cached objects together, as JSON. A parsed object takes a few times as much memory as its JSON. */
  readonly maxBytes: number;
}

/** The parsed objects of recent revisions. Adding an object removes the oldest ones while the cache exceeds its limits. */
export class ObjectCache {
  readonly #limits: CacheLimits;
  readonly #objects = new Map<number, Cached>();
  #bytes = 0;

  constructor(limits: CacheLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(revision: number): KubeObject | undefined {
    return this.#objects.get(revision)?.object;
  }

  /** Adds the object of a revision, whose JSON has `bytes` bytes. The newest object stays cached whatever its size. */
  add(revision: number, object: KubeObject, bytes: number): void {
    this.delete(revision);
    this.#objects.set(revision, { object, bytes });
    this.#bytes += bytes;
    const { maxObjects, maxBytes } = this.#limits;
    for (const oldest of this.#objects.keys()) {
      if (this.#objects.size === 1 || (this.#objects.size <= maxObjects && this.#bytes <= maxBytes)) return;
      this.delete(oldest);
    }
  }

  delete(revision: number): void {
    const cached = this.#objects.get(revision);
    if (!cached) return;
    this.#objects.delete(revision);
    this.#bytes -= cached.bytes;
  }
}
