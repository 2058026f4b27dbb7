import { ApiError, deepEqual, type KubeObject } from '@outrigger/core';
import type { ServerAdmission, AdmissionAttributes, Authorizer, Identity } from '../handle/contract.js';
import { isMaster, requesterOf } from './authorizer.js';
import { compactRules, describeRule, quoteList, uncovered } from './covers.js';
import { forbiddenResource } from './forbidden.js';
import { type Binding, type PolicyRule, RBAC_GROUP, type Role, type RoleRef } from './policy.js';
import type { PolicyIndex } from './policy-index.js';

/**
 * Prevents privilege escalation. A role may contain only permissions that its writer has, unless the writer may `escalate` it. A binding
 * may name only a role whose permissions its writer has, unless the writer may `bind` it. The right to `escalate` one role by name does not
 * allow a user to POST that role, because the path of the request has no name.
 */
export function escalationChecks(policy: PolicyIndex, authorize: Authorizer): ServerAdmission {
  const check = async (request: AdmissionAttributes): Promise<void> => {
    const { object, oldObject, identity } = request;
    if (request.group !== RBAC_GROUP || request.subResource !== '' || !object || isMaster(identity)) return;
    if (oldObject && onlyCollectionFieldsDiffer(object, oldObject)) return;
    if (request.resource === 'roles' || request.resource === 'clusterroles') {
      await checkRole(request, object, oldObject);
    } else if (request.resource === 'rolebindings' || request.resource === 'clusterrolebindings') {
      await checkBinding(request, object as Binding);
    }
  };

  const checkRole = async (request: AdmissionAttributes, role: Role, old: Role | undefined): Promise<void> => {
    const { identity, group, version, resource, namespace } = request;
    const attributes = { identity, verb: 'escalate', group, version, resource, subresource: '', namespace, name: request.pathName };
    if ((await authorize(attributes)).allowed) return;
    refuseGrant(request, role.rules ?? []);
    if (aggregates(role) || (old && aggregates(old))) {
      const missing = uncovered(heldRules(identity, namespace), FULL_AUTHORITY);
      if (missing.length > 0) throw refused(request, 'must have cluster-admin privileges to use the aggregationRule');
    }
  };

  const checkBinding = async (request: AdmissionAttributes, { roleRef }: Binding): Promise<void> => {
    const { identity, version, namespace } = request;
    const resource = roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles';
    const group = roleRef.apiGroup ?? RBAC_GROUP;
    const attributes = { identity, verb: 'bind', group, version, resource, subresource: '', namespace, name: roleRef.name };
    if ((await authorize(attributes)).allowed) return;
    const rules = policy.roleRules(roleRef, namespace);
    if (!rules) throw roleNotFound(roleRef);
    refuseGrant(request, rules);
  };

  const refuseGrant = (request: AdmissionAttributes, rules: readonly PolicyRule[]): void => {
    const { identity, namespace } = request;
    const missing = compactRules(uncovered(heldRules(identity, namespace), rules)).map(describeRule);
    if (missing.length === 0) return;
    const who = `user ${JSON.stringify(identity.user)} (groups=${quoteList(identity.groups)})`;
    const list = [...new Set(missing)].sort().join('\n');
    throw refused(request, `${who} is attempting to grant RBAC permissions not currently held:\n${list}`);
  };

  const heldRules = (identity: Identity, namespace: string): PolicyRule[] => [...policy.rulesFor(requesterOf(identity), namespace).rules];

  return {
    validate: async (request) => {
      await check(request);
      return {};
    },
  };
}

const FULL_AUTHORITY: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

function refused(request: AdmissionAttributes, why: string): ApiError {
  const name = request.object?.metadata.name ?? request.name;
  return forbiddenResource({ group: request.group, resource: request.resource, name }, why);
}

function roleNotFound(ref: RoleRef): ApiError {
  const kind = ref.kind.toLowerCase();
  return new ApiError('NotFound', `${kind}.${RBAC_GROUP} ${JSON.stringify(ref.name)} not found`, {
    details: { name: ref.name, group: RBAC_GROUP, kind },
  });
}

function aggregates(role: Role): boolean {
  return (role.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

/**
 * Whether a write changes only fields that garbage collection and namespace deletion change. For such a write to a role, the writer does
 * not need the permissions of the role.
 */
function onlyCollectionFieldsDiffer(object: KubeObject, old: KubeObject): boolean {
  return deepEqual(withoutCollectionFields(object), withoutCollectionFields(old));
}

function withoutCollectionFields(object: KubeObject): KubeObject {
  const { ownerReferences, finalizers, managedFields, selfLink, ...metadata } = object.metadata;
  return { ...object, metadata };
}
