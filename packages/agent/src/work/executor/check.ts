import { MANIFEST_MESSAGES, type UpdateStrategy, type WorkExecutor } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import type { ObjectRef } from '../../live/object-ref.js';

/** One question: may this ServiceAccount do all of this to this object, for this version of a work? */
export interface PermissionCheck {
  /** The owner that asks (`workOwner`), and the generation of its work: an edited work asks anew. */
  readonly owner: string;
  readonly generation: number;
  readonly executor: WorkExecutor;
  readonly ref: ObjectRef;
  readonly verbs: readonly string[];
  /** The object that would be created, for kinds that grant rights; absent for all others. */
  readonly grants?: KubeObject;
}

export type Permission =
  | { readonly type: 'allowed' }
  /** `askAgainAt`: monotonic. */
  | { readonly type: 'denied' | 'escalation'; readonly askAgainAt: number }
  /** The server refused to answer. */
  | { readonly type: 'unclear'; readonly error: string; readonly askAgainAt: number };

/** Rights are revoked without notice: permission to go on is asked for again after this time, when there is something to do. */
export const ALLOWED_FOR_MS = 10_000;
/** A refusal is asked about again soon, then more and more rarely: the rights may be on their way. */
export const REFUSED_FOR = { firstMs: 2_000, mostMs: 60_000 } as const;

const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** The question that bounds reports: without `get`, nothing of the object may appear in the status of the work. */
export function readCheck({ grants: _, ...check }: PermissionCheck): PermissionCheck {
  return { ...check, verbs: ['get'] };
}

/** What the agent will do with its own rights, so the executor must have the same. Deleting too, where the object goes with the work. */
export function verbsFor({ type }: UpdateStrategy, isOwned: boolean): readonly string[] {
  const writes = {
    Update: ['create', 'update', 'patch'],
    CreateOnly: ['create', 'patch'],
    ServerSideApply: ['create', 'patch'],
    ReadOnly: [],
  };
  return ['get', ...writes[type], ...(isOwned && type !== 'ReadOnly' ? ['delete'] : [])];
}

/** Roles and bindings grant rights: the right to create one is not enough. */
export function grantsRights({ kind }: ObjectRef): boolean {
  return kind.group === RBAC_GROUP;
}

export function refusalMessage(permission: 'denied' | 'escalation', { kind, namespace, name }: ObjectRef): string {
  const object = `${kind.group} ${kind.plural}, ${namespace} ${name}`;
  return permission === 'denied' ? MANIFEST_MESSAGES.notAllowed(object) : MANIFEST_MESSAGES.escalation(object);
}
