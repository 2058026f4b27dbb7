import type { KubeObject, OwnerReference } from '@outrigger/core';

/** An object that names an owner. `key` is its storage key. */
interface Dependent {
  readonly key: string;
  /** Whether the dependent blocks the owner's foreground deletion. */
  readonly blocks: boolean;
}

/** Dependents by storage key. Most owners have one dependent, for which a map would take several times the memory. */
type Dependents = Dependent | Map<string, Dependent>;

/**
 * The dependents of each owner, by the owner's uid. The graph contains only edges; whether an owner exists is read from the store, which is
 * always current.
 */
export class OwnerGraph {
  readonly #dependents = new Map<string, Dependents>();

  /** Replaces the edges of the object at `key`. `before` is undefined for a new object, and `after` for a deleted one. */
  update(key: string, before: KubeObject | undefined, after: KubeObject | undefined): void {
    if (haveSameOwners(before, after)) return;
    for (const { uid } of ownersOf(before)) this.#remove(uid, key);
    for (const { uid, blockOwnerDeletion } of ownersOf(after)) this.#add(uid, { key, blocks: blockOwnerDeletion === true });
  }

  dependentsOf(ownerUid: string): readonly string[] {
    return this.#of(ownerUid).map(({ key }) => key);
  }

  blockingDependentsOf(ownerUid: string): readonly string[] {
    return this.#of(ownerUid).flatMap(({ key, blocks }) => (blocks ? [key] : []));
  }

  get size(): number {
    return this.#dependents.size;
  }

  #of(ownerUid: string): readonly Dependent[] {
    const known = this.#dependents.get(ownerUid);
    if (known === undefined) return [];
    return known instanceof Map ? [...known.values()] : [known];
  }

  /** Adds an edge. If an object names an owner twice, it blocks the owner's foreground deletion if either reference does. */
  #add(ownerUid: string, added: Dependent): void {
    const known = this.#dependents.get(ownerUid);
    if (known instanceof Map) {
      if (known.get(added.key)?.blocks !== true) known.set(added.key, added);
    } else if (known === undefined || known.key === added.key) {
      this.#dependents.set(ownerUid, known?.blocks === true ? known : added);
    } else {
      const both = [known, added].map((dependent) => [dependent.key, dependent] as const);
      this.#dependents.set(ownerUid, new Map(both));
    }
  }

  #remove(ownerUid: string, key: string): void {
    const known = this.#dependents.get(ownerUid);
    if (known === undefined) return;
    if (known instanceof Map) known.delete(key);
    if (known instanceof Map ? known.size === 0 : known.key === key) this.#dependents.delete(ownerUid);
  }
}

/** Whether two states of an object have the same edges. Nearly every change of an object leaves its owners as they are. */
function haveSameOwners(before: KubeObject | undefined, after: KubeObject | undefined): boolean {
  const [old, next] = [ownersOf(before), ownersOf(after)];
  if (old === next) return true;
  return (
    old.length === next.length &&
    old.every(({ uid, blockOwnerDeletion }, i) => uid === next[i]?.uid && blockOwnerDeletion === next[i]?.blockOwnerDeletion)
  );
}

const NO_OWNERS: readonly OwnerReference[] = [];

export function ownersOf(object: KubeObject | undefined): readonly OwnerReference[] {
  return object?.metadata.ownerReferences ?? NO_OWNERS;
}
