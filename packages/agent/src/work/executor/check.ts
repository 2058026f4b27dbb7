import { MANIFEST_MESSAGES, type UpdateStrategy, type WorkExecutor } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import type { ObjectRef } from '../../live/object-ref.js';

/** One question: may this ServiceAccount do all of this to this object? */
export interface PermissionCheck {
  readonly executor: WorkExecutor;
  readonly ref: ObjectRef;
  readonly verbs: readonly string[];
  /** What would be created, for kinds that hand out rights; absent for all others. */
  readonly grants?: KubeObject;
}

export type Permission =
  | { readonly type: 'allowed' | 'denied' | 'escalation' }
  /** The server would not say. */
  | { readonly type: 'unclear'; readonly error: string };

/** Rights change without a word: an answer is good for so long, and a denied work asks again after it. */
export const PERMISSION_TTL_MS = 60_000;

const RBAC_GROUP = 'rbac.authorization.k8s.io';

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

/** Roles and bindings hand out rights: whoever makes one needs more than the right to create it. */
export function grantsRights({ kind }: ObjectRef): boolean {
  return kind.group === RBAC_GROUP;
}

export function refusalMessage(permission: 'denied' | 'escalation', { kind, namespace, name }: ObjectRef): string {
  const object = `${kind.group} ${kind.plural}, ${namespace} ${name}`;
  return permission === 'denied' ? MANIFEST_MESSAGES.notAllowed(object) : MANIFEST_MESSAGES.escalation(object);
}
