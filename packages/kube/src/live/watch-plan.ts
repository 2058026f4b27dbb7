import type { Kind } from '@outrigger/core';
import type { Selection } from '../client/types.js';
import type { ObjectRef } from './object-ref.js';

/** One metadata watch and the objects it covers. */
export interface WatchSpec {
  readonly id: string;
  readonly kind: Kind;
  readonly selection: Selection;
}

/**
 * The maximum number of cluster-scoped objects of a kind that are watched individually, so that the server does not send the other objects
 * of the kind. If there are more, the whole kind is watched.
 */
export const MOST_BY_NAME = 4;

/**
 * Returns a function that names the watch for each object: one watch per namespace for namespaced kinds, one per object for cluster-scoped
 * kinds with few objects, and one per kind for all other cluster-scoped kinds. A namespaced kind is never watched as a whole, because a
 * process must not read the Secrets in other namespaces.
 */
export function watchFor(refs: Iterable<ObjectRef>): (ref: ObjectRef) => WatchSpec {
  const namesByKind = new Map<string, Set<string>>();
  for (const { kind, name } of refs) {
    if (kind.namespaced) continue;
    const names = namesByKind.get(kindId(kind)) ?? new Set();
    namesByKind.set(kindId(kind), names.add(name));
  }
  return ({ kind, namespace, name }) => {
    if (kind.namespaced) return { id: `${kindId(kind)} in ${namespace}`, kind, selection: { namespace } };
    const isFew = (namesByKind.get(kindId(kind))?.size ?? 0) <= MOST_BY_NAME;
    if (!isFew) return { id: kindId(kind), kind, selection: {} };
    return { id: `${kindId(kind)} named ${name}`, kind, selection: { fieldSelector: `metadata.name=${name}` } };
  };
}

export interface WatchPlanOptions {
  /** Ids of the open watches. They take precedence over new watches. */
  readonly open: ReadonlySet<string>;
  /** Watches that the server rejected. The plan does not contain them. */
  readonly refused: ReadonlySet<string>;
  readonly most: number;
}

/** Returns the watches to run for these objects. Objects without a watch are read periodically instead. */
export function planWatches(refs: readonly ObjectRef[], { open, refused, most }: WatchPlanOptions): ReadonlyMap<string, WatchSpec> {
  const specOf = watchFor(refs);
  const wanted = new Map(refs.map((ref) => [specOf(ref).id, specOf(ref)]));
  const allowed = [...wanted.values()].filter(({ id }) => !refused.has(id));
  const inOrder = [...allowed.filter(({ id }) => open.has(id)), ...allowed.filter(({ id }) => !open.has(id))];
  return new Map(inOrder.slice(0, most).map((spec) => [spec.id, spec]));
}

function kindId({ plural, group }: Kind): string {
  return group === '' ? plural : `${plural}.${group}`;
}
