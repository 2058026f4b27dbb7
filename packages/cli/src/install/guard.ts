import {
  ADDON_NAME_LABEL,
  BINDABLE_ROLES_ROLE,
  CLUSTER_LEASE_NAME,
  CLUSTER_NAME_LABEL,
  TOKEN_INFRASTRUCTURE_LABEL,
  denyingPolicy,
  keepsOwners,
  resourceRule,
} from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { JOIN_LABEL, JOIN_NAMESPACE, LEFT_BEHIND_NAME, WEBHOOK_AUTHORITY } from '@outrigger/hub';
import { LEADER_LEASE_NAME } from './rights.js';

const RBAC = 'rbac.authorization.k8s.io';

/** Every role, binding and account that the manager creates has one of these labels. */
const OUR_LABELS: readonly string[] = [CLUSTER_NAME_LABEL, ADDON_NAME_LABEL, TOKEN_INFRASTRUCTURE_LABEL, JOIN_LABEL];

/**
 * Returns ValidatingAdmissionPolicies, which need no webhook. They set limits that RBAC cannot express, because the names of clusters and
 * add-ons are not known when the role is written. The manager may change and delete only roles, bindings and accounts that it created, and
 * may bind only listed roles for add-ons. It may not modify system namespaces, or the Pod Security labels or the owners of any namespace.
 * It may create only the ConfigMaps, Leases and Secrets that it needs, because a Secret can request the token of an account. It may not
 * request certificates.
 */
export function managerGuard(
  name: string,
  { namespace, name: account }: { readonly namespace: string; readonly name: string },
): readonly KubeObject[] {
  return denyingPolicy(name, {
    matchConstraints: {
      resourceRules: [
        resourceRule(RBAC, ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'], ['CREATE', 'UPDATE', 'DELETE']),
        resourceRule('', ['serviceaccounts'], ['CREATE', 'UPDATE', 'DELETE']),
        resourceRule('', ['namespaces'], ['UPDATE']),
        resourceRule('apiextensions.k8s.io', ['customresourcedefinitions'], ['UPDATE']),
        resourceRule('', ['configmaps'], ['CREATE']),
        resourceRule('', ['secrets'], ['CREATE', 'UPDATE']),
        resourceRule('coordination.k8s.io', ['leases'], ['CREATE']),
        resourceRule('certificates.k8s.io', ['certificatesigningrequests'], ['CREATE']),
      ],
    },
    matchConditions: [{ name: 'manager', expression: `request.userInfo.username == 'system:serviceaccount:${namespace}:${account}'` }],
    variables: [
      { name: 'kind', expression: 'request.resource.resource' },
      { name: 'isOursBefore', expression: `oldObject == null || ${isLabelled('oldObject')}` },
      { name: 'isOursAfter', expression: `object == null || ${isLabelled('object')}` },
      // Earlier managers, such as upstream's, left bindings without labels in the namespaces of clusters. The manager may change these
      // bindings.
      {
        name: 'isOfUpstream',
        expression: `variables.kind == 'rolebindings' && oldObject != null && oldObject.metadata.name.startsWith('open-cluster-management:')`,
      },
    ],
    validations: [
      {
        expression: `!(variables.kind in ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings', 'serviceaccounts']) || (variables.isOursAfter && (variables.isOursBefore || variables.isOfUpstream)) || (variables.kind == 'serviceaccounts' && request.namespace == '${JOIN_NAMESPACE}')`,
        message: 'the manager may change only roles, bindings and accounts that it has made',
      },
      {
        expression: `variables.kind != 'rolebindings' || object == null || !has(object.metadata.labels) || !('${ADDON_NAME_LABEL}' in object.metadata.labels) || ${mayBind('object')}`,
        message: `the manager may bind for add-ons only roles that an administrator has listed (${BINDABLE_ROLES_ROLE})`,
        reason: 'Forbidden',
      },
      {
        expression: `variables.kind != 'namespaces' || (!object.metadata.name.startsWith('kube-') && object.metadata.name != '${namespace}' && ${keepsSecurityLabels()})`,
        message: 'the manager may label namespaces of clusters only, and never changes their security labels',
      },
      {
        expression: `!(variables.kind in ['namespaces', 'customresourcedefinitions']) || ${keepsOwners()}`,
        message:
          'the manager may not change the owners of objects that it may not delete: the garbage collector deletes objects without a living owner',
      },
      {
        expression: `variables.kind != 'configmaps' || object.metadata.name == '${LEFT_BEHIND_NAME}'`,
        message: `the manager may create no other ConfigMap than ${LEFT_BEHIND_NAME}`,
      },
      {
        expression: `variables.kind != 'secrets' || (object.metadata.name == '${WEBHOOK_AUTHORITY}' && request.namespace == '${namespace}' && object.type == 'kubernetes.io/tls')`,
        message: `the manager may write no other Secret than ${WEBHOOK_AUTHORITY}`,
      },
      {
        expression: `variables.kind != 'leases' || object.metadata.name == '${CLUSTER_LEASE_NAME}' || (request.namespace == '${namespace}' && object.metadata.name == '${LEADER_LEASE_NAME}')`,
        message: `the manager may create no other Lease than ${CLUSTER_LEASE_NAME}, and ${LEADER_LEASE_NAME} in its namespace`,
      },
      {
        expression: `variables.kind != 'certificatesigningrequests'`,
        message: 'the manager approves certificates and never asks for one',
      },
    ],
  });
}

/**
 * Returns a CEL expression that is true if the manager has the permission `bind` on the role of a binding. Without this check, RBAC would
 * also let the manager bind every role whose permissions the manager itself has.
 */
function mayBind(object: string): string {
  const { kind, name, namespace } = {
    kind: `${object}.roleRef.kind`,
    name: `${object}.roleRef.name`,
    namespace: `${object}.metadata.namespace`,
  };
  const check = (resource: string, scope: string): string =>
    `authorizer.group('${RBAC}').resource('${resource}')${scope}.name(${name}).check('bind').allowed()`;
  return `(${kind} == 'Role' ? ${check('roles', `.namespace(${namespace})`)} : ${check('clusterroles', '')})`;
}

function isLabelled(object: string): string {
  const labels = OUR_LABELS.map((label) => `'${label}'`).join(', ');
  return `(has(${object}.metadata.labels) && ${object}.metadata.labels.exists(label, label in [${labels}]))`;
}

/**
 * Returns a CEL expression that is true if no Pod Security label of the namespace changes. These labels decide which pods may run there.
 */
function keepsSecurityLabels(): string {
  const kept = (from: string, to: string): string =>
    `(!has(${from}.metadata.labels) || ${from}.metadata.labels.all(label, !label.startsWith('pod-security.kubernetes.io/') || (has(${to}.metadata.labels) && label in ${to}.metadata.labels && ${to}.metadata.labels[label] == ${from}.metadata.labels[label])))`;
  return `${kept('object', 'oldObject')} && ${kept('oldObject', 'object')}`;
}
