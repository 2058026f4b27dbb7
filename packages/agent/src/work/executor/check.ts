import { MANIFEST_MESSAGES, type UpdateStrategy, type WorkExecutor } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import type { ObjectRef } from '@outrigger/kube';

/** Asks whether a ServiceAccount may use all these verbs on this object, for this generation of a work. */
export interface PermissionCheck {
  /** The owner key (`workOwner`) and the generation of the work that is checked. A new generation is checked again. */
  readonly owner: string;
  readonly generation: number;
  readonly executor: WorkExecutor;
  readonly ref: ObjectRef;
  readonly verbs: readonly string[];
  /** The object to create, for kinds that grant permissions; absent for all others. */
  readonly grants?: KubeObject;
}

export type Permission =
  | { readonly type: 'allowed' }
  /** `askAgainAt`: monotonic. */
  | { readonly type: 'denied' | 'escalation'; readonly askAgainAt: number }
  /** The server rejected the review. */
  | { readonly type: 'unclear'; readonly error: string; readonly askAgainAt: number };

/** Permissions can be revoked at any time: a positive result expires after this time, and the agent checks again before its next write. */
export const ALLOWED_FOR_MS = 10_000;
/** After a denial the agent checks again soon, then with increasing delays, because the permissions may still be granted. */
export const REFUSED_FOR = { baseMs: 2_000, maxMs: 60_000 } as const;

const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** Asks only for `get`. Without this permission, no data of the object may appear in the status of the work. */
export function readCheck({ grants: _, ...check }: PermissionCheck): PermissionCheck {
  return { ...check, verbs: ['get'] };
}

/**
 * The verbs that the agent will use with its own permissions; the executor must have them too. They include `delete` if the object is
 * deleted with the work.
 */
export function verbsFor({ type }: UpdateStrategy, isOwned: boolean): readonly string[] {
  const writes = {
    Update: ['create', 'update', 'patch'],
    CreateOnly: ['create', 'patch'],
    ServerSideApply: ['create', 'patch'],
    ReadOnly: [],
  };
  return ['get', ...writes[type], ...(isOwned && type !== 'ReadOnly' ? ['delete'] : [])];
}

/** Whether the kind grants permissions (roles and bindings). For such a kind, the permission to create an object is not sufficient. */
export function grantsRights({ kind }: ObjectRef): boolean {
  return kind.group === RBAC_GROUP;
}

export function refusalMessage(permission: 'denied' | 'escalation', { kind, namespace, name }: ObjectRef): string {
  const object = `${kind.group} ${kind.plural}, ${namespace} ${name}`;
  return permission === 'denied' ? MANIFEST_MESSAGES.notAllowed(object) : MANIFEST_MESSAGES.escalation(object);
}
