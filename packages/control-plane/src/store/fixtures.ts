import { RevisionMismatch, type Change, type Entry } from './contract.js';
import type { KubeObject } from '@outrigger/core';

export function thing(revision: number, uid: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { uid, resourceVersion: String(revision) } };
}

/** The simplest possible model of a store, for tests. It keeps every state in full. */
export class ModelStore {
  readonly #states: ReadonlyMap<string, Entry>[] = [new Map(), new Map()];
  readonly #changes: Change[] = [];
  compacted = 1;

  get revision(): number {
    return this.#states.length - 1;
  }

  get(key: string, revision: number = this.revision): Entry | undefined {
    return this.#states[revision]?.get(key);
  }

  range(prefix: string, revision: number = this.revision): Entry[] {
    const entries = [...(this.#states[revision]?.values() ?? [])].filter(({ key }) => key.startsWith(prefix));
    return entries.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Returns the change, or the name of the error with which a store rejects the write. */
  write(type: Change['type'], key: string, expected: number, build: (revision: number) => KubeObject): Change | string {
    const before = this.get(key);
    if ((before?.revision ?? 0) !== expected) return RevisionMismatch.name;
    const revision = this.revision + 1;
    const change: Change = { type, key, revision, object: build(revision), isCreation: !before, previous: before?.object };
    const state = new Map(this.#states.at(-1));
    if (type === 'put') state.set(key, { key, revision, object: change.object });
    else state.delete(key);
    this.#states.push(state);
    this.#changes.push(change);
    return change;
  }

  since(revision: number): Change[] {
    return this.#changes.filter((change) => change.revision > revision);
  }

  all(): readonly Change[] {
    return this.#changes;
  }

  compact(revision: number): void {
    this.compacted = Math.max(this.compacted, Math.min(revision, this.revision));
  }
}
