import { shell, type UserInfo } from '@outrigger/core';
import type { HubPermission, TemplateRegistration } from '../generated/addon.js';
import type { BorrowedTemplate } from './references.js';
import type { AccessCheck } from './types.js';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

export interface AuthorContext {
  readonly user: UserInfo;
  /** The default namespace for a `signingCA` reference. */
  readonly managerNamespace: string;
}

/** A role on the hub that a template grants to the agents of its add-on. */
export interface GrantedRole {
  /** The path as messages show it: `spec.registration[0].kubeClient.hubPermissions[1]`. */
  readonly path: string;
  readonly kind: 'Role' | 'ClusterRole';
  readonly name: string;
  /** The namespace of the binding. Undefined means the namespaces of all clusters. */
  readonly namespace: string | undefined;
}

export function grantedRoles(registrations: readonly TemplateRegistration[]): readonly GrantedRole[] {
  return registrations.flatMap(({ kubeClient }, index) =>
    (kubeClient?.hubPermissions ?? []).flatMap((permission, at) => {
      const role = roleOf(permission);
      if (!role) return [];
      const namespace = permission.type === 'SingleNamespace' ? permission.singleNamespace?.namespace : undefined;
      return [{ path: `spec.registration[${index}].kubeClient.hubPermissions[${at}]`, kind: role.kind, name: role.name, namespace }];
    }),
  );
}

/**
 * Returns the permissions that the author of a template needs. The author grants the permissions that the template names, so the author
 * must be allowed to grant each of them.
 */
export function authorChecks(registrations: readonly TemplateRegistration[], author: AuthorContext): readonly AccessCheck[] {
  return [
    ...grantedRoles(registrations).map((role) => bindCheck(role, author)),
    ...registrations.flatMap((registration, index) =>
      signingCheck(registration, `spec.registration[${index}].customSigner.signingCA`, author),
    ),
  ];
}

/**
 * Returns the permissions that references to templates of other add-ons require. Such a reference grants the template's permissions to the
 * agents of the referencing add-on, so the same checks apply.
 */
export function borrowedAuthorChecks(borrowed: readonly BorrowedTemplate[], author: AuthorContext): readonly AccessCheck[] {
  return borrowed.flatMap(({ path, template }) =>
    authorChecks(template.registration, author).map((check) => ({
      ...check,
      denied: `${path}: AddOnTemplate ${template.name}: ${check.denied}`,
    })),
  );
}

/**
 * Returns the permission to bind a role. Bindings of `CurrentCluster` are created in the namespace of every cluster, so the permission is
 * needed in all of these namespaces.
 */
function bindCheck({ path, kind, name, namespace }: GrantedRole, { user }: AuthorContext): AccessCheck {
  const resource = kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  const attributes = { verb: 'bind', group: RBAC_GROUP, resource, name, ...(namespace === undefined ? {} : { namespace }) };
  const where = namespace === undefined ? 'in the namespaces of all clusters' : `in the namespace ${namespace}`;
  const problem = `you may not bind the ${kind} ${name} ${where}, so you may not hand it out`;
  return { attributes, denied: `${path}: ${problem}. An administrator can allow it: ${grantCommand(attributes, user.username)}` };
}

function roleOf(permission: HubPermission): { readonly kind: 'Role' | 'ClusterRole'; readonly name: string } | undefined {
  const { type, roleRef, currentCluster, singleNamespace } = permission;
  if (roleRef) return roleRef;
  if (type === 'SingleNamespace') return singleNamespace?.roleRef;
  return currentCluster && { kind: 'ClusterRole', name: currentCluster.clusterRoleName };
}

interface BindAttributes {
  readonly resource: string;
  readonly name: string;
  readonly namespace?: string;
}

function grantCommand({ resource, name, namespace }: BindAttributes, user: string): string {
  const grant = `bind-${name}`;
  const what = shell`--verb=bind --resource=${resource}.${RBAC_GROUP} --resource-name=${name}`;
  if (namespace === undefined) {
    const binding = shell`kubectl create clusterrolebinding ${grant} --clusterrole=${grant} --user=${user}`;
    return `${shell`kubectl create clusterrole ${grant}`} ${what} && ${binding}`;
  }
  const binding = shell`kubectl create rolebinding ${grant} --namespace=${namespace} --role=${grant} --user=${user}`;
  return `${shell`kubectl create role ${grant} --namespace=${namespace}`} ${what} && ${binding}`;
}

function signingCheck({ customSigner }: TemplateRegistration, path: string, { managerNamespace }: AuthorContext): readonly AccessCheck[] {
  if (!customSigner) return [];
  const { name, namespace = managerNamespace } = customSigner.signingCA;
  return [
    {
      attributes: { verb: 'get', group: '', resource: 'secrets', namespace, name },
      denied: `${path}: you may not get the Secret ${namespace}/${name}, so you may not sign with it`,
    },
  ];
}
