import {
  ADDON_NAME_LABEL,
  ADDON_TEMPLATE_NAME_LABEL,
  type RoleBinding,
  type TemplateRegistration,
  addOnClusterGroup,
  addOnGroup,
  addOnUser,
} from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { planHandBack } from './hand-back.js';
import { permissionBindingsOf } from './permissions.js';

const owner = (cluster: string): { apiVersion: string; kind: string; name: string; uid: string } => ({
  apiVersion: 'addon.open-cluster-management.io/v1alpha1',
  kind: 'ManagedClusterAddOn',
  name: 'hello',
  uid: `uid-${cluster}`,
});

type Permission = NonNullable<NonNullable<TemplateRegistration['kubeClient']>['hubPermissions']>[number];
const CURRENT = { type: 'CurrentCluster', currentCluster: { clusterRoleName: 'view' } } as Permission;
const SINGLE = {
  type: 'SingleNamespace',
  singleNamespace: { namespace: 'shared', roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' } },
} as Permission;

const ours = (cluster: string, permissions: readonly Permission[], driver: 'csr' | 'token' = 'csr'): readonly RoleBinding[] =>
  permissionBindingsOf([{ type: 'KubeClient', kubeClient: { hubPermissions: permissions } }] as never, {
    cluster,
    addOn: 'hello',
    driver,
    owner: { ...owner(cluster), controller: true, blockOwnerDeletion: true },
  });

const names = (bindings: readonly RoleBinding[]): readonly string[] =>
  bindings.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`);

describe('handing hub permissions back to upstream', () => {
  it('creates the binding in the namespace of each cluster as upstream’s manager does, and removes ours', () => {
    const existing = [...ours('c1', [CURRENT]), ...ours('c2', [CURRENT])];
    const { create, remove } = planHandBack(existing);
    expect(remove).toEqual(existing);
    expect(create.map(({ metadata, roleRef, subjects }) => ({ metadata, roleRef, subjects }))).toEqual(
      ['c1', 'c2'].map((cluster) => ({
        metadata: {
          name: 'open-cluster-management:hello:clusterrole:agent',
          namespace: cluster,
          labels: { [ADDON_NAME_LABEL]: 'hello', [ADDON_TEMPLATE_NAME_LABEL]: '' },
          ownerReferences: [owner(cluster)],
        },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [
          { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: addOnUser(cluster, 'hello', 'hello-agent') },
          { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: addOnClusterGroup(cluster, 'hello') },
          { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: addOnGroup('hello') },
        ],
      })),
    );
  });

  it('creates one binding without an owner for a permission in one namespace, for the agents of all clusters', () => {
    const { create, remove } = planHandBack([...ours('c1', [SINGLE]), ...ours('c2', [SINGLE])]);
    expect(remove).toHaveLength(2);
    expect(names(create)).toEqual(['shared/open-cluster-management:hello:role:agent']);
    expect(create[0]?.metadata.ownerReferences).toBeUndefined();
    expect(create[0]?.subjects).toContainEqual({ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: addOnGroup('hello') });
  });

  it('binds the account of an agent that signs in with tokens by its user name', () => {
    const { create } = planHandBack(ours('c1', [CURRENT], 'token'));
    expect(create[0]?.subjects).toEqual([
      { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'system:serviceaccount:c1:hello-agent' },
    ]);
  });

  it('keeps a binding that upstream’s manager has created already, and every binding of other makers', () => {
    const [own] = ours('c1', [CURRENT]);
    const [upstreams] = planHandBack(ours('c1', [CURRENT])).create;
    const mislabelled = { ...own, metadata: { ...own?.metadata, name: 'of-another-maker' } } as RoleBinding;
    const { create, remove } = planHandBack([own, upstreams, mislabelled] as RoleBinding[]);
    expect(create).toEqual([]);
    expect(remove).toEqual([own]);
  });

  it('plans nothing for what it has created itself', () => {
    const { create } = planHandBack([...ours('c1', [CURRENT, SINGLE]), ...ours('c2', [CURRENT, SINGLE])]);
    expect(planHandBack(create)).toEqual({ create: [], remove: [] });
  });
});
