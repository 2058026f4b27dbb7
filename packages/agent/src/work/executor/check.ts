import {
  ADDON_GROUP,
  CLUSTER_GROUP,
  MANIFEST_MESSAGES,
  OUTRIGGER_GROUP,
  type UpdateStrategy,
  WORK_GROUP,
  type WorkExecutor,
  certificateSigningRequests,
} from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import type { ObjectRef } from '@outrigger/kube';

/** A check whether the ServiceAccount of an executor may use all of `verbs` on one object, for one generation of a work. */
export interface PermissionCheck {
  /** The owner key (`workOwner`) and the generation of the work that is checked. A new generation is checked again. */
  readonly owner: string;
  readonly generation: number;
  readonly executor: WorkExecutor;
  readonly ref: ObjectRef;
  readonly verbs: readonly string[];
  /** For roles and bindings, the object after the write, whose permissions the executor must be able to grant. Absent for other kinds. */
  readonly grants?: KubeObject;
}

export type Permission =
  | { readonly type: 'allowed' }
  /** `askAgainAt` is the monotonic time at which the agent checks again. */
  | { readonly type: 'denied' | 'escalation'; readonly askAgainAt: number }
  /** The result is unknown, because the server rejected the review. */
  | { readonly type: 'unclear'; readonly error: string; readonly askAgainAt: number };

/**
 * The time for which a positive result is valid. Permissions can be revoked at any time, so after this time the agent checks again before
 * its next write.
 */
export const ALLOWED_FOR_MS = 10_000;
/** The delays after a denial. The agent checks again soon, then with increasing delays, because the permissions may still be granted. */
export const REFUSED_FOR = { baseMs: 2_000, maxMs: 60_000 } as const;

const RBAC_GROUP = 'rbac.authorization.k8s.io';
/**
 * The groups with kinds for which an API server checks other permissions of the writer than those for the object: to grant the rules of a role,
 * to read the parameters of a ValidatingAdmissionPolicy, to attest the signer of a ClusterTrustBundle. On a cluster that is also a hub, its
 * admission checks the writers of works, templates, add-ons, clusters and approvals.
 */
const GROUPS_THAT_CHECK_THE_WRITER: readonly string[] = [
  RBAC_GROUP,
  'admissionregistration.k8s.io',
  certificateSigningRequests.group,
  ADDON_GROUP,
  CLUSTER_GROUP,
  WORK_GROUP,
  OUTRIGGER_GROUP,
];

/** Returns a check for `get` only. Without this permission, no data of the object may appear in the status of the work. */
export function readCheck({ grants: _, ...check }: PermissionCheck): PermissionCheck {
  return { ...check, verbs: ['get'] };
}

/**
 * Returns the verbs that the agent will use with its own permissions, and that the executor must have too. They include `delete` if the
 * agent deletes the object: with the work, or to create it again.
 */
export function verbsFor({ type }: UpdateStrategy, isDeleted: boolean): readonly string[] {
  const writes = {
    Update: ['create', 'update', 'patch'],
    CreateOnly: ['create', 'patch'],
    ServerSideApply: ['create', 'patch'],
    ReadOnly: [],
  };
  return ['get', ...writes[type], ...(isDeleted && type !== 'ReadOnly' ? ['delete'] : [])];
}

/** Whether the kind grants permissions (roles and bindings). For such a kind, the permission to create an object is not enough. */
export function grantsRights({ kind }: ObjectRef): boolean {
  return kind.group === RBAC_GROUP;
}

/** Whether an API server may check other permissions of the writer than the verbs on the object, so that a dry run must ask for them. */
export function checksWriter({ kind }: ObjectRef): boolean {
  return GROUPS_THAT_CHECK_THE_WRITER.includes(kind.group);
}

/**
 * Whether the API server records who created an object of this kind and grants permissions by it, as for a CertificateSigningRequest. It
 * would record the agent, which has all permissions, so no executor may write such an object.
 */
export function recordsWriter({ kind }: ObjectRef): boolean {
  return kind.group === certificateSigningRequests.group && kind.plural === certificateSigningRequests.plural;
}

export function refusalMessage(permission: 'denied' | 'escalation', { kind, namespace, name }: ObjectRef): string {
  const object = `${kind.group} ${kind.plural}, ${namespace} ${name}`;
  return permission === 'denied' ? MANIFEST_MESSAGES.notAllowed(object) : MANIFEST_MESSAGES.escalation(object);
}
