import {
  ADDON_NAME_LABEL,
  BINDABLE_ROLES_ROLE,
  CLUSTER_NAME_LABEL,
  type RbacSubject,
  type RoleBinding,
  type RoleRef,
  type TemplateRegistration,
  addOnClusterGroup,
  aggregationLabel,
  hubPermissionBindingName,
  roleBindings,
  templateAgentName,
} from '@outrigger/api';
import { apiVersionOf, deepEqual, type OwnerReference, shell } from '@outrigger/core';
import type { BindingProjection } from '../resources/bindings.js';
import { type ClientDriver, permissionsOf, roleRefOf } from '@outrigger/rules/registration';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

export interface PermissionInput {
  readonly cluster: string;
  readonly addOn: string;
  readonly driver: ClientDriver;
  /**
   * The owner of the bindings in the cluster's own namespace. Bindings in other namespaces get no owner, because an owner must be in the
   * same namespace.
   */
  readonly owner: OwnerReference;
}

/**
 * Returns the bindings for a template's permissions on one cluster. There is one binding per permission; the name of the binding contains
 * the role and the cluster.
 */
export function permissionBindingsOf(registrations: readonly TemplateRegistration[], input: PermissionInput): readonly RoleBinding[] {
  const bindings = permissionsOf(registrations).flatMap((permission): RoleBinding[] => {
    const roleRef = roleRefOf(permission);
    const namespace = permission.type === 'CurrentCluster' ? input.cluster : permission.singleNamespace?.namespace;
    return roleRef && namespace !== undefined ? [binding(roleRef, namespace, input)] : [];
  });
  return [...new Map(bindings.map((one) => [`${one.metadata.namespace ?? ''}/${one.metadata.name ?? ''}`, one])).values()];
}

function binding(roleRef: RoleRef, namespace: string, { cluster, addOn, driver, owner }: PermissionInput): RoleBinding {
  return {
    apiVersion: apiVersionOf(roleBindings),
    kind: roleBindings.kind,
    metadata: {
      name: hubPermissionBindingName(cluster, addOn, roleRef),
      namespace,
      labels: { [ADDON_NAME_LABEL]: addOn, [CLUSTER_NAME_LABEL]: cluster },
      ...(namespace === cluster ? { ownerReferences: [owner] } : {}),
    },
    roleRef,
    subjects: subjectsOf(cluster, addOn, driver),
  };
}

/** Returns the subjects of a binding. Uses only identities that the hub computes, never data that an agent wrote to a status. */
function subjectsOf(cluster: string, addOn: string, driver: ClientDriver): readonly RbacSubject[] {
  const group: RbacSubject = { kind: 'Group', apiGroup: RBAC_GROUP, name: addOnClusterGroup(cluster, addOn) };
  return driver === 'token' ? [group, { kind: 'ServiceAccount', namespace: cluster, name: templateAgentName(addOn) }] : [group];
}

/** Whether a binding grants exactly the wanted permissions. Additional labels are ignored. */
export function isBindingCurrent(existing: BindingProjection, wanted: RoleBinding): boolean {
  const { ownerReferences = [] } = wanted.metadata;
  return (
    deepEqual(existing.roleRef, wanted.roleRef) &&
    deepEqual(existing.subjects, wanted.subjects) &&
    ownerReferences.every(({ uid }) => existing.ownerReferences.some((owner) => owner.uid === uid))
  );
}

/** The command with which an administrator allows the manager to bind a role. */
export function grantCommand({ kind, name }: Pick<RoleRef, 'kind' | 'name'>): string {
  const grant = `outrigger-bind-${name}`;
  const resource = kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  return [
    shell`kubectl create clusterrole ${grant} --verb=bind --resource=${resource}.${RBAC_GROUP} --resource-name=${name}`,
    shell`kubectl label clusterrole ${grant} ${aggregationLabel(BINDABLE_ROLES_ROLE)}=true`,
  ].join(' && ');
}
