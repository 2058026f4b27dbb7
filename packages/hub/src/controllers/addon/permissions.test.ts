import type { AddOnTemplate, ManagedClusterAddOn, RoleBinding } from '@outrigger/api';
import type { JsonObject, KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import {
  type Hub,
  addOn,
  admitted,
  after,
  briefly,
  condition,
  conditionText,
  declaration,
  deployment,
  freshHub,
  leavingDefault,
  pass,
  settledHub,
  statusOf,
  template,
} from './fixtures.js';

const renderedElsewhere: Partial<Hub> = { declarations: [declaration('hello')], templates: [], rollout: admitted([], '') };

describe('add-on: hub permissions', () => {
  const permissions = (...hubPermissions: object[]): AddOnTemplate =>
    template([deployment()], { registration: [{ type: 'KubeClient', kubeClient: { hubPermissions } }] as never });
  const subjectsOf = (hub: Hub): string[] =>
    after(hub, pass(hub)).bindings.map(
      ({ metadata, roleRef, subjects = [] }) =>
        `${metadata.namespace ?? ''}: ${roleRef.kind} ${roleRef.name} to ${subjects.map(({ name }) => name).join(', ')}`,
    );
  const group = 'system:open-cluster-management:cluster:c1:addon:hello';

  it.each([
    ['the seed’s shape, here', { type: 'CurrentCluster', roleRef: { kind: 'ClusterRole', name: 'r' } }, `c1: ClusterRole r to ${group}`],
    ['upstream’s shape, here', { type: 'CurrentCluster', currentCluster: { clusterRoleName: 'r' } }, `c1: ClusterRole r to ${group}`],
    [
      'the seed’s shape, elsewhere',
      { type: 'SingleNamespace', roleRef: { kind: 'Role', name: 'r' }, singleNamespace: { namespace: 'n' } },
      `n: Role r to ${group}`,
    ],
    [
      'upstream’s shape, elsewhere',
      { type: 'SingleNamespace', singleNamespace: { namespace: 'n', roleRef: { kind: 'ClusterRole', name: 'r' } } },
      `n: ClusterRole r to ${group}`,
    ],
  ])('%s', (_, permission, want) => expect(subjectsOf(freshHub({ templates: [permissions(permission)] }))).toEqual([want]));

  const two = [
    { type: 'CurrentCluster', currentCluster: { clusterRoleName: 'a' } },
    { type: 'CurrentCluster', currentCluster: { clusterRoleName: 'b' } },
  ];
  it('two roles are two bindings', () => expect(subjectsOf(freshHub({ templates: [permissions(...two)] }))).toHaveLength(2));

  const settled = settledHub({ templates: [permissions(two[0] as object)] });
  const bound = settled.bindings[0] as RoleBinding;
  const upstream: RoleBinding = {
    ...bound,
    metadata: {
      name: 'open-cluster-management:hello:clusterrole:agent',
      namespace: 'c1',
      labels: { 'open-cluster-management.io/addon-name': 'hello', 'open-cluster-management.io/addon-template-name': '' },
    },
  };
  const cases: { name: string; hub: Hub; want: string[] }[] = [
    { name: 'a settled add-on causes no action', hub: settled, want: [] },
    {
      name: 'subjects that another client added are removed',
      hub: { ...settled, bindings: [{ ...bound, subjects: [...(bound.subjects ?? []), { kind: 'User', name: 'me' }] }] },
      want: [`patch RoleBinding c1/${bound.metadata.name ?? ''}`],
    },
    {
      name: 'upstream’s binding is deleted once ours exists',
      hub: { ...settled, bindings: [bound, upstream] },
      want: [`delete RoleBinding c1/${upstream.metadata.name ?? ''}`],
    },
    {
      name: 'AT-17 a binding that only carries our labels is left alone',
      hub: { ...settled, bindings: [bound, { ...bound, metadata: { ...bound.metadata, name: 'a-tenants' } }] },
      want: [],
    },
    {
      name: 'bindings of a deleted add-on in another namespace are deleted',
      hub: {
        ...settled,
        clusterAddOn: undefined,
        bindings: [{ ...bound, metadata: { ...bound.metadata, namespace: 'n', ownerReferences: [] } }],
      },
      want: [`delete RoleBinding n/${bound.metadata.name ?? ''}`],
    },
    { name: 'objects with an owner reference are left to the garbage collector', hub: { ...settled, clusterAddOn: undefined }, want: [] },
  ];
  it.each(cases)('$name', ({ hub, want }) => expect(briefly(pass(hub))).toEqual(want));

  it('a certificate request that cannot be signed becomes a condition, which a restart does not take back while the request is open', () => {
    const problem = 'certificate request addon-c1-hello-x could not be signed: no right; to allow it: kubectl …';
    const want = `False SetPermissionFailed: Failed to set permission for hub agent: ${problem}`;
    const first = pass(settled, { requestProblems: [problem] });
    expect(conditionText(first, 'RegistrationApplied')).toBe(want);
    const failed = after(settled, first);
    const request = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: {
        name: 'addon-c1-hello-x',
        labels: { 'open-cluster-management.io/cluster-name': 'c1', 'open-cluster-management.io/addon-name': 'hello' },
      },
      spec: { request: '', signerName: 'example.com/x', usages: [] },
    };
    expect(pass({ ...failed, requests: [request] })).toMatchObject({ stages: [] });
    expect(conditionText(pass(failed), 'RegistrationApplied')).toMatch(/^True SetPermissionApplied/);
  });

  it.each([
    [3, 'not held: {0} {1} {2}. An'],
    [5, 'not held: {0} {1} {2} and 2 more. An'],
  ])('the condition repeats at most three of the %i rules that a refusal lists', (count, text) => {
    const id = `binding/c1/${bound.metadata.name ?? ''}`;
    const message = ['not held:', ...Array.from({ length: count }, (_, i) => `{${i}}`)].join('\n');
    const refused = pass({ ...settled, bindings: [] }, { refusals: [{ id, reason: 'Forbidden', message }] });
    expect(conditionText(refused, 'RegistrationApplied')).toContain(text);
  });

  it('a refusal becomes a condition with the command that grants the role', () => {
    const id = `binding/c1/${bound.metadata.name ?? ''}`;
    const refusals = [{ id, reason: 'Forbidden', message: 'attempting to grant extra privileges' }] as const;
    expect(conditionText(pass({ ...settled, bindings: [] }, { refusals }), 'RegistrationApplied')).toBe(
      'False SetPermissionFailed: Failed to set permission for hub agent: ClusterRole a in c1: attempting to grant extra privileges. An administrator can allow it: kubectl create clusterrole outrigger-bind-a --verb=bind --resource=clusterroles.rbac.authorization.k8s.io --resource-name=a && kubectl label clusterrole outrigger-bind-a outrigger.dev/aggregate-to-bindable-roles=true',
    );
  });

  it('a refusal is in the past once the binding is as wanted, also if the response to its creation was lost', () => {
    const id = `binding/c1/${bound.metadata.name ?? ''}`;
    const refusals = [{ id, reason: 'Forbidden', message: 'attempting to grant extra privileges' }] as const;
    expect(briefly(pass(settled, { refusals }))).toEqual([]);
  });
});

describe('add-on: token infrastructure', () => {
  const signIn = [{ type: 'KubeClient' }] as const;
  const templated = (registration: NonNullable<AddOnTemplate['spec']['registration']>): Partial<Hub> => ({
    templates: [template([deployment()], { registration })],
  });
  const published = [{ signerName: 'kubernetes.io/kube-apiserver-client' }];
  const asking = (status: NonNullable<ManagedClusterAddOn['status']>): Partial<Hub> => ({ clusterAddOn: addOn('hello', { status }) });
  const OBJECTS = ['ServiceAccount c1/hello-agent', 'Role c1/hello-token-role', 'RoleBinding c1/hello-token-role'];
  const ROLE = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'hello-token-role' };
  const written = (hub: Hub): string[] => briefly(pass(hub)).filter((text) => OBJECTS.some((object) => text.endsWith(object)));
  const created = OBJECTS.map((object) => `create ${object}`);
  const afterTwo = (hub: Hub): Hub => {
    const first = after(hub, pass(hub));
    return after(first, pass(first));
  };

  it.each<{ name: string; hub: Hub; want: string[] }>([
    {
      name: 'of a template that asks for it',
      hub: freshHub({ ...templated(signIn), ...asking({ kubeClientDriver: 'token' }) }),
      want: created,
    },
    {
      name: 'of an add-on that another manager renders and whose registrations ask for it',
      hub: freshHub({ ...renderedElsewhere, ...asking({ kubeClientDriver: 'token', registrations: published }) }),
      want: created,
    },
    {
      name: 'not with certificates',
      hub: freshHub({ ...renderedElsewhere, ...asking({ kubeClientDriver: 'csr', registrations: published }) }),
      want: [],
    },
    { name: 'not without a registration', hub: freshHub({ ...renderedElsewhere, ...asking({ kubeClientDriver: 'token' }) }), want: [] },
    {
      name: 'not for another signer',
      hub: freshHub({ ...renderedElsewhere, ...asking({ kubeClientDriver: 'token', registrations: [{ signerName: 'x.io/y' }] }) }),
      want: [],
    },
  ])('$name: the account first, and then the right to its tokens', ({ hub, want }) => {
    expect(written(hub)).toEqual(want.slice(0, 1));
    expect(written(after(hub, pass(hub)))).toEqual(want.slice(1));
  });

  it('AT-49 the right to the tokens of an account is granted only while the account is the add-on’s', () => {
    const hub = freshHub({ ...templated(signIn), ...asking({ kubeClientDriver: 'token' }) });
    const ready = afterTwo(hub);
    expect(written(ready)).toEqual([]);
    const [account, ...grants] = ready.tokens;
    expect(written({ ...ready, tokens: grants }), 'the account was deleted').toEqual([
      'create ServiceAccount c1/hello-agent',
      'delete Role c1/hello-token-role',
      'delete RoleBinding c1/hello-token-role',
    ]);
    const create = pass(hub)
      .stages.flat()
      .find(({ id }) => id === 'token/serviceaccounts/hello-agent');
    expect(create, 'an account that was not created for the add-on is not adopted').toMatchObject({ type: 'create', adopt: 'owned' });
    const id = create?.id ?? '';
    const refused = pass(hub, { refusals: [{ id, reason: 'AlreadyExists', message: 'ServiceAccount c1/hello-agent stands in the way' }] });
    expect(briefly(refused).filter((text) => text.includes('Role c1') || text.includes('RoleBinding c1/hello-token'))).toEqual([]);
    expect(conditionText(refused, 'TokenInfrastructureReady')).toBe(
      'False TokenInfrastructureApplyFailed: ServiceAccount c1/hello-agent stands in the way',
    );
    const earlier = { apiVersion: 'v1', kind: 'ManagedClusterAddOn', name: 'hello', uid: 'uid-of-an-earlier-add-on' };
    const inherited = { ...account, metadata: { ...account?.metadata, ownerReferences: [earlier] } } as KubeObject;
    expect(written({ ...ready, tokens: [inherited, ...grants] }), 'tokens of an earlier add-on of this name').toEqual(
      OBJECTS.map((object) => `delete ${object}`),
    );
  });

  it.each<{ name: string; hub: Partial<Hub>; registrations?: typeof published; version?: string; isLeaving?: boolean }>([
    { name: 'a template add-on', hub: templated(signIn) },
    { name: 'an add-on of another manager', hub: renderedElsewhere, registrations: published },
    { name: 'an add-on whose requested version does not exist', hub: templated(signIn), version: 'v9' },
    { name: 'an add-on that leaves the default entry', hub: templated(signIn), isLeaving: true },
  ])('AT-07 $name on a cluster that is denied: the account ends, and with it every token, however long it lasts', (given) => {
    const { hub, registrations, version, isLeaving = false } = given;
    const status = { kubeClientDriver: 'token' as const, ...(registrations ? { registrations } : {}) };
    const ready = afterTwo(freshHub({ ...hub, ...asking(status) }));
    expect(written(ready)).toEqual([]);
    const { clusterAddOn, cluster } = ready;
    const asked = clusterAddOn && (version === undefined ? clusterAddOn : { ...clusterAddOn, spec: { installVersion: version } });
    const changed = { ...ready, clusterAddOn: asked, cluster: cluster && { ...cluster, spec: { hubAcceptsClient: false } } };
    const denied = isLeaving ? leavingDefault(changed) : changed;
    expect(written(denied).sort()).toEqual(OBJECTS.map((object) => `delete ${object}`).sort());
    const ended = after(denied, pass(denied));
    expect(written(ended)).toEqual([]);
    expect(written({ ...ended, clusterAddOn, cluster }), 'the cluster is accepted again').toEqual(created.slice(0, 1));
  });

  it.each<{ name: string; index: number; change: JsonObject; want: string }>([
    { name: 'other rules', index: 1, change: { rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] }, want: 'patch' },
    { name: 'no rules', index: 1, change: { rules: null }, want: 'patch' },
    { name: 'other subjects', index: 2, change: { subjects: [{ kind: 'User', name: 'other' }] }, want: 'patch' },
    { name: 'no subjects', index: 2, change: { subjects: null }, want: 'patch' },
    { name: 'another role', index: 2, change: { roleRef: { ...ROLE, name: 'other' } }, want: 'delete' },
    { name: 'a ClusterRole of that name', index: 2, change: { roleRef: { ...ROLE, kind: 'ClusterRole' } }, want: 'delete' },
    {
      name: 'another role and other subjects',
      index: 2,
      change: { roleRef: { ...ROLE, name: 'other' }, subjects: null },
      want: 'delete',
    },
  ])('corrects an object with $name; replaces a binding, if its role differs', ({ index, change, want }) => {
    const ready = afterTwo(freshHub({ ...templated(signIn), ...asking({ kubeClientDriver: 'token' }) }));
    const tokens = ready.tokens.map((object, at) => (at === index ? { ...object, ...change } : object));
    const changed = { ...ready, tokens };
    const object = OBJECTS[index] ?? '';
    expect(written(changed)).toEqual([`${want} ${object}`]);
    if (want === 'delete') expect(written(after(changed, pass(changed)))).toEqual([`create ${object}`]);
  });

  it.each<{ name: string; hub: Partial<Hub>; registrations?: typeof published }>([
    { name: 'a template add-on', hub: templated(signIn) },
    { name: 'another manager’s', hub: renderedElsewhere, registrations: published },
  ])('$name: the condition carries the account’s UID, and all of it is deleted with the driver', ({ hub, registrations }) => {
    const status = { kubeClientDriver: 'token' as const, ...(registrations ? { registrations } : {}) };
    const ready = afterTwo(freshHub({ ...hub, ...asking(status) }));
    const withUids = {
      ...ready,
      tokens: ready.tokens.map((object) => ({ ...object, metadata: { ...object.metadata, uid: `uid-${object.kind}` } })),
    };
    const second = pass(withUids);
    expect(conditionText(second, 'TokenInfrastructureReady')).toBe(
      'True TokenInfrastructureReady: ServiceAccount c1/hello-agent (UID: uid-ServiceAccount) is ready',
    );
    const settled = after(withUids, second);
    const switched = {
      ...settled,
      clusterAddOn: settled.clusterAddOn && {
        ...settled.clusterAddOn,
        status: { ...settled.clusterAddOn.status, kubeClientDriver: 'csr' as const },
      },
    };
    expect(written(switched as Hub).sort()).toEqual(OBJECTS.map((object) => `delete ${object}`).sort());
    expect(conditionText(pass(switched as Hub), 'TokenInfrastructureReady')).toBeUndefined();
    expect(statusOf(pass(switched as Hub)).conditions?.map(({ type }) => type)).not.toContain('TokenInfrastructureReady');
  });

  it('objects without an owner, as upstream creates them, stay as found, and are deleted when the add-on is gone', () => {
    const first = freshHub({ ...templated(signIn), ...asking({ kubeClientDriver: 'token' }) });
    const { tokens } = afterTwo(first);
    const found = tokens.map(({ metadata: { ownerReferences: _, ...metadata }, ...object }) => ({ ...object, metadata }));
    expect(written({ ...first, tokens: found })).toEqual([]);
    const gone = { ...first, clusterAddOn: undefined };
    expect(written({ ...gone, tokens: found }).sort()).toEqual(OBJECTS.map((object) => `delete ${object}`).sort());
    expect(written({ ...gone, tokens }), 'the garbage collector deletes owned objects').toEqual([]);
  });

  it.each<{ name: string; hub: Partial<Hub> }>([
    { name: 'with tokens', hub: asking({ kubeClientDriver: 'token' }) },
    { name: 'with certificates', hub: asking({ kubeClientDriver: 'csr' }) },
    { name: 'deleted', hub: { clusterAddOn: undefined } },
  ])('of an add-on $name: objects of other names with the same labels are another owner’s, and stay', ({ hub }) => {
    const { tokens } = afterTwo(freshHub({ ...templated(signIn), ...asking({ kubeClientDriver: 'token' }) }));
    const others = tokens.map(({ metadata: { ownerReferences: _, ...metadata }, ...object }) => ({
      ...object,
      metadata: { ...metadata, name: `${metadata.name}-2` },
    }));
    const decision = pass({ ...freshHub({ ...templated(signIn), ...hub }), tokens: others });
    expect(briefly(decision).filter((text) => text.endsWith('-2'))).toEqual([]);
  });

  it('a refusal is reported', () => {
    const hub = freshHub({ ...renderedElsewhere, ...asking({ kubeClientDriver: 'token', registrations: published }) });
    const id =
      pass(hub)
        .stages.flat()
        .find((action) => action.type === 'create' && action.kind.kind === 'ServiceAccount')?.id ?? '';
    const decision = pass(hub, { refusals: [{ id, reason: 'Forbidden', message: 'no right' }] });
    expect(conditionText(decision, 'TokenInfrastructureReady')).toMatch(
      /^False TokenInfrastructureApplyFailed: no right; .*: kubectl create rolebinding outrigger-tokens --namespace=\S+ --clusterrole=outrigger:token-registration /,
    );
    const complete = pass(afterTwo(hub), { refusals: [{ id, reason: 'Forbidden', message: 'no right' }] });
    expect(conditionText(complete, 'TokenInfrastructureReady'), 'the account exists').toMatch(/^True /);
  });
});

describe('add-on: conditions of agents about credentials', () => {
  const rotated = condition('ClusterCertificateRotated', 'True', 'ClientCertificateUpdated');
  const refreshed = condition('TokenRefreshed', 'True', 'AddonTokenRefreshed');
  const signer = { type: 'CustomSigner', customSigner: { signerName: 'x.io/y', signingCA: { name: 'ca' } } } as const;
  const kept = (registration: NonNullable<AddOnTemplate['spec']['registration']>, driver?: 'csr' | 'token'): string[] => {
    const status = { conditions: [rotated, refreshed], ...(driver ? { kubeClientDriver: driver } : {}) };
    const hub = freshHub({ templates: [template([deployment()], { registration })], clusterAddOn: addOn('hello', { status }) });
    const types = statusOf(pass(hub)).conditions?.map(({ type }) => type) ?? [];
    return types.filter((type) => type === rotated.type || type === refreshed.type);
  };

  it.each([
    { name: 'are removed with the last registration', registration: [], driver: undefined, want: [] },
    {
      name: 'a certificate for the hub stays, a token is removed',
      registration: [{ type: 'KubeClient' }] as const,
      driver: 'csr' as const,
      want: [rotated.type],
    },
    {
      name: 'a token for the hub stays, a certificate is removed',
      registration: [{ type: 'KubeClient' }] as const,
      driver: 'token' as const,
      want: [refreshed.type],
    },
    {
      name: 'a certificate of a signer of its own stays beside a token',
      registration: [{ type: 'KubeClient' }, signer] as const,
      driver: 'token' as const,
      want: [rotated.type, refreshed.type],
    },
  ])('$name', ({ registration, driver, want }) => expect(kept(registration, driver)).toEqual(want));

  it('of an add-on that another manager renders are not changed', () => {
    const hub = freshHub({ ...renderedElsewhere, clusterAddOn: addOn('hello', { status: { conditions: [rotated] } }) });
    expect(statusOf(pass(hub)).conditions?.map(({ type }) => type)).toContain(rotated.type);
  });
});
