import type { KubeObject, OwnerReference } from '@outrigger/core';

/**
 * The dependents of each owner, by the owner's uid. The graph contains only edges; whether an owner exists is read from the store, which is
 * always current.
 */
export class OwnerGraph {
  /** Owner uid → storage key of a dependent → whether the dependent blocks the owner's foreground deletion. */
  readonly #dependents = new Map<string, Map<string, boolean>>();

  /** Replaces the edges of the object at `key`. `before` is undefined for a new object, and `after` for a deleted one. */
  update(key: string, before: KubeObject | undefined, after: KubeObject | undefined): void {
    for (const { uid } of ownersOf(before)) this.#remove(uid, key);
    for (const { uid, blockOwnerDeletion } of ownersOf(after)) {
      const dependents = this.#dependents.get(uid) ?? new Map<string, boolean>();
      dependents.set(key, blockOwnerDeletion === true || dependents.get(key) === true);
      this.#dependents.set(uid, dependents);
    }
  }

  dependentsOf(ownerUid: string): readonly string[] {
    return [...(this.#dependents.get(ownerUid)?.keys() ?? [])];
  }

  blockingDependentsOf(ownerUid: string): readonly string[] {
    return [...(this.#dependents.get(ownerUid) ?? [])].flatMap(([key, blocks]) => (blocks ? [key] : []));
  }

  get size(): number {
    return this.#dependents.size;
  }

  #remove(ownerUid: string, key: string): void {
    const dependents = this.#dependents.get(ownerUid);
    dependents?.delete(key);
    if (dependents?.size === 0) this.#dependents.delete(ownerUid);
  }
}

export function ownersOf(object: KubeObject | undefined): readonly OwnerReference[] {
  return object?.metadata.ownerReferences ?? [];
}
