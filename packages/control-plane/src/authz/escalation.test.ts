import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import type { AdmissionAttributes, Identity } from '../handle/contract.js';
import { createAuthorizer } from './authorizer.js';
import { escalationChecks } from './escalation.js';
import type { Binding, PolicyRule, Role } from './policy.js';
import { PolicyIndex } from './policy-index.js';

const GROUP = 'rbac.authorization.k8s.io';
const readPods: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };
const bob: Identity = { user: 'bob', groups: ['system:authenticated'] };

const clusterRole = (name: string, rules: PolicyRule[], more: Partial<Role> = {}): Role => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'ClusterRole',
  metadata: { name },
  rules,
  ...more,
});
const bindingTo = (roleName: string, namespace?: string): Binding => ({
  apiVersion: `${GROUP}/v1`,
  kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: namespace === undefined ? { name: 'b' } : { name: 'b', namespace },
  roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: roleName },
  subjects: [{ kind: 'User', name: 'eve' }],
});

/** Writes `object` as the user bob, who has the permissions `rights`. */
async function write(rights: PolicyRule[], object: KubeObject, more: Partial<AdmissionAttributes> = {}): Promise<string> {
  const policy = new PolicyIndex();
  policy.setRole(clusterRole('bobs', rights));
  policy.setRole(clusterRole('reader', [readPods]));
  policy.setBinding({ ...bindingTo('bobs'), metadata: { name: 'bob' }, subjects: [{ kind: 'User', name: 'bob' }] });
  const resource = `${object.kind.toLowerCase()}s`;
  const request: AdmissionAttributes = {
    operation: 'CREATE',
    identity: bob,
    group: GROUP,
    version: 'v1',
    userInfo: { username: bob.user, groups: bob.groups },
    kind: { group: GROUP, version: 'v1', kind: object.kind },
    resource,
    subResource: '',
    options: () => ({}),
    warn: () => undefined,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name ?? '',
    pathName: '',
    object,
    dryRun: false,
    ...more,
  };
  try {
    await escalationChecks(policy, createAuthorizer(policy)).validate?.(request);
    return 'allowed';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('granting rights', () => {
  const role = clusterRole('new', [readPods]);
  const right = (verb: string, resource: string, resourceNames?: string[]): PolicyRule => ({
    verbs: [verb],
    apiGroups: [GROUP],
    resources: [resource],
    ...(resourceNames ? { resourceNames } : {}),
  });
  const everything: PolicyRule[] = [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ];
  const notHeld =
    'is forbidden: user "bob" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
    '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}';
  const aggregating = clusterRole('agg', [], { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } });

  const cases: { name: string; rights: PolicyRule[]; object: KubeObject; more?: Partial<AdmissionAttributes>; want: string }[] = [
    { name: 'a role needs its rights', rights: [], object: role, want: `clusterroles.${GROUP} "new" ${notHeld}` },
    { name: 'a user may write a role with rights that the user has', rights: [readPods], object: role, want: 'allowed' },
    {
      name: 'a user with the verb escalate may write any role',
      rights: [right('escalate', 'clusterroles')],
      object: role,
      want: 'allowed',
    },
    {
      name: 'escalating by name is enough for a request whose path has the name',
      rights: [right('escalate', 'clusterroles', ['new'])],
      object: role,
      more: { pathName: 'new' },
      want: 'allowed',
    },
    {
      name: 'escalating by name is not enough for a POST',
      rights: [right('escalate', 'clusterroles', ['new'])],
      object: role,
      want: `clusterroles.${GROUP} "new" ${notHeld}`,
    },
    {
      name: 'escalating another name is not',
      rights: [right('escalate', 'clusterroles', ['x'])],
      object: role,
      more: { pathName: 'new' },
      want: `clusterroles.${GROUP} "new" ${notHeld}`,
    },
    {
      name: 'a binding needs the role’s rights',
      rights: [right('create', 'clusterrolebindings')],
      object: bindingTo('reader'),
      want: `clusterrolebindings.${GROUP} "b" ${notHeld}`,
    },
    { name: 'a user may bind a role with rights that the user has', rights: [readPods], object: bindingTo('reader', 'x'), want: 'allowed' },
    {
      name: 'a user with the verb bind on the role may bind it',
      rights: [right('bind', 'clusterroles', ['reader'])],
      object: bindingTo('reader', 'x'),
      want: 'allowed',
    },
    { name: 'a binding to nothing is refused', rights: [], object: bindingTo('gone'), want: `clusterrole.${GROUP} "gone" not found` },
    { name: 'masters pass', rights: [], object: role, more: { identity: { user: 'root', groups: ['system:masters'] } }, want: 'allowed' },
    {
      name: 'the garbage collector may update metadata',
      rights: [],
      object: clusterRole('new', [readPods], { metadata: { name: 'new', finalizers: [] } }),
      more: { operation: 'UPDATE', oldObject: clusterRole('new', [readPods], { metadata: { name: 'new', finalizers: ['x/y'] } }) },
      want: 'allowed',
    },
    {
      name: 'aggregation needs everything',
      rights: [readPods],
      object: aggregating,
      want: `clusterroles.${GROUP} "agg" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
    },
    { name: 'a user with all rights may write an aggregation rule', rights: everything, object: aggregating, want: 'allowed' },
    {
      name: 'removing an aggregation rule also requires all permissions',
      rights: [readPods],
      object: clusterRole('agg', [readPods]),
      more: { operation: 'UPDATE', oldObject: aggregating },
      want: `clusterroles.${GROUP} "agg" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
    },
  ];
  it.each(cases)('$name', async ({ rights, object, more, want }) => expect(await write(rights, object, more)).toBe(want));
});
