import {
  type ManifestWorkSpec,
  type WorkExecutor,
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  serviceAccountUser,
} from '@outrigger/api';
import { type Kind, type KubeObject, errorMessage } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { certificateRequest } from '../../harness/certificates.js';
import {
  type Manifest,
  type AgentWorld,
  applied,
  conditionOf,
  configMap,
  configMaps,
  createWork,
  deleteWork,
  editWork,
  find,
  appliedWorkOf,
  roleBindings,
  roles,
  secrets,
  workWith,
} from './world.js';

const RBAC = 'rbac.authorization.k8s.io/v1';

function role(namespace: string, name: string, rules: readonly object[]): Manifest {
  return { apiVersion: RBAC, kind: 'Role', metadata: { namespace, name }, rules };
}

function binding(namespace: string, name: string, roleName: string, account: string): Manifest {
  return {
    apiVersion: RBAC,
    kind: 'RoleBinding',
    metadata: { namespace, name },
    subjects: [{ kind: 'ServiceAccount', namespace, name: account }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: roleName },
  };
}

const as = (namespace: string, name: string): { executor: WorkExecutor } => ({
  executor: { subject: { type: 'ServiceAccount', serviceAccount: { namespace, name } } },
});
const VERBS = ['get', 'create', 'update', 'patch', 'delete'];

async function grant(world: AgentWorld, namespace: string, account: string, rules: readonly object[]): Promise<void> {
  await world.cluster.create(roles, role(namespace, `${account}-role`, rules));
  await world.cluster.create(roleBindings, binding(namespace, `${account}-binding`, `${account}-role`, account));
}

/** Defines the tests of the permissions of works that run as another service account. The tests run on any API server. */
export function describeExecutor(worldOf: () => AgentWorld): void {
  describe('AT-16 a work with an executor', () => {
    it('applies the objects that the executor may write, and reports the others as forbidden', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      await grant(world, namespace, 'runner', [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'], verbs: VERBS }]);
      const work = await createWork(world, [configMap(namespace, 'mine'), configMap(namespace, 'other')], as(namespace, 'runner'));
      const failed = await workWith(world, work, 'Applied', 'False');
      expect(conditionOf(failed, 0, 'Applied')?.status).toBe('True');
      expect(conditionOf(failed, 1, 'Applied')?.message).toBe(
        `Failed to apply manifest: not allowed to apply the resource  configmaps, ${namespace} other, will try again in 1m0s`,
      );
      expect(await find(world.cluster, configMaps, { namespace, name: 'other' })).toBeUndefined();
      await deleteWork(world, work);
    });

    it('needs the right to delete only for objects that are deleted with it', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const noDelete = VERBS.filter((verb) => verb !== 'delete');
      await grant(world, namespace, 'runner', [{ apiGroups: [''], resources: ['configmaps'], verbs: noDelete }]);
      const owning = await createWork(world, [configMap(namespace, 'owned')], as(namespace, 'runner'));
      const leaving = await createWork(world, [configMap(namespace, 'left')], {
        ...as(namespace, 'runner'),
        deleteOption: { propagationPolicy: 'Orphan' },
      });
      await applied(world, leaving);
      await workWith(world, owning, 'Applied', 'False');
      await deleteWork(world, owning);
      await deleteWork(world, leaving);
    });

    it('deletes no Secret to create it again if the executor may not delete it', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const noDelete = VERBS.filter((verb) => verb !== 'delete');
      await grant(world, namespace, 'runner', [{ apiGroups: [''], resources: ['secrets'], verbs: noDelete }]);
      const secret = (name: string, more: object): Manifest => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace, name },
        ...more,
      });
      await world.cluster.create(secrets, secret('immutable', { immutable: true, stringData: { a: 'theirs' } }));
      await world.cluster.create(secrets, secret('typed', { type: 'example.com/theirs', stringData: { a: 'theirs' } }));
      const manifests = ['immutable', 'typed'].map((name) => secret(name, { stringData: { a: 'ours' } }));
      const work = await createWork(world, manifests, { ...as(namespace, 'runner'), deleteOption: { propagationPolicy: 'Orphan' } });
      const failed = await workWith(world, work, 'Applied', 'False');
      for (const [ordinal, name] of ['immutable', 'typed'].entries()) {
        expect(conditionOf(failed, ordinal, 'Applied')?.message).toContain(
          `not allowed to apply the resource  secrets, ${namespace} ${name}`,
        );
        expect(await world.cluster.get(secrets, { namespace, name })).toMatchObject({ data: { a: btoa('theirs') } });
      }
      await deleteWork(world, work);
    });

    it('cannot hand out rights the executor does not have', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const manages = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: VERBS };
      await grant(world, namespace, 'runner', [manages, { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]);
      const modest = role(namespace, 'modest', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]);
      const greedy = role(namespace, 'greedy', [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }]);
      const work = await createWork(world, [modest, greedy], as(namespace, 'runner'));
      const failed = await workWith(world, work, 'Applied', 'False');
      expect(conditionOf(failed, 0, 'Applied')?.status).toBe('True');
      expect(conditionOf(failed, 1, 'Applied')?.message).toBe(
        `Failed to apply manifest: not allowed to apply the resource rbac.authorization.k8s.io roles, ${namespace} greedy, ` +
          'error: permission escalation, will try again in 1m0s',
      );
      expect(await find(world.cluster, roles, { namespace, name: 'greedy' })).toBeUndefined();
      await deleteWork(world, work);
    });

    it('adds no account to a binding of a role whose rights the executor does not have', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const manages = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: VERBS };
      await grant(world, namespace, 'runner', [manages]);
      await world.cluster.create(roles, role(namespace, 'powerful', [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }]));
      await world.cluster.create(roles, role(namespace, 'modest', []));
      await world.cluster.create(roleBindings, binding(namespace, 'power', 'powerful', 'owner'));
      const taken = binding(namespace, 'power', 'modest', 'runner');
      const manifestConfigs = [
        {
          resourceIdentifier: { group: 'rbac.authorization.k8s.io', resource: 'rolebindings', namespace, name: 'power' },
          updateStrategy: {
            type: 'ServerSideApply' as const,
            serverSideApply: { force: true, ignoreFields: [{ condition: 'OnSpokePresent' as const, jsonPaths: ['.roleRef'] }] },
          },
        },
      ];
      const work = await createWork(world, [taken], { ...as(namespace, 'runner'), manifestConfigs });
      const failed = await workWith(world, work, 'Applied', 'False');
      expect(conditionOf(failed, 0, 'Applied')?.message).toContain('error: permission escalation');
      const standing = await find(world.cluster, roleBindings, { namespace, name: 'power' });
      expect(JSON.stringify(standing)).not.toContain('runner');
      await deleteWork(world, work);
    });

    it.each(['Update', 'ServerSideApply'] as const)('makes no change by %s that the cluster refuses to the executor', async (type) => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const manages = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: VERBS };
      await grant(world, namespace, 'runner', [manages]);
      const labelled = (name: string, tier: string): Manifest => {
        const one = role(namespace, name, []);
        return { ...one, metadata: { ...one.metadata, labels: { tier } } };
      };
      for (const name of ['guarded', 'free']) await world.cluster.create(roles, labelled(name, 'gold'));
      await guardLabels(world, namespace, 'guarded', serviceAccountUser(namespace, 'runner'));
      const manifestConfigs = ['guarded', 'free'].map((name) => ({
        resourceIdentifier: { group: 'rbac.authorization.k8s.io', resource: 'roles', namespace, name },
        updateStrategy: { type, ...(type === 'ServerSideApply' ? { serverSideApply: { force: true } } : {}) },
      }));
      const manifests = [labelled('guarded', 'none'), labelled('free', 'none')];
      const work = await createWork(world, manifests, { ...as(namespace, 'runner'), manifestConfigs });
      const failed = await workWith(world, work, 'Applied', 'False');
      expect(conditionOf(failed, 0, 'Applied')?.message).toContain(GUARDED);
      expect(conditionOf(failed, 1, 'Applied')?.status).toBe('True');
      expect((await world.cluster.get(roles, { namespace, name: 'guarded' })).metadata.labels).toMatchObject({ tier: 'gold' });
      await deleteWork(world, work);
    });

    it('requests no certificate, because the API server would record the agent as the requester', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const name = `${namespace}-request`;
      const rules = [{ apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: VERBS }];
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name } as const;
      const subjects = [{ kind: 'ServiceAccount', namespace, name: 'runner' }] as const;
      await world.cluster.create(clusterRoles, { apiVersion: RBAC, kind: 'ClusterRole', metadata: { name }, rules });
      await world.cluster.create(clusterRoleBindings, {
        apiVersion: RBAC,
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef,
        subjects,
      });
      const spec = {
        request: await certificateRequest('/CN=system:node:other/O=system:nodes'),
        signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
        usages: ['digital signature', 'client auth'],
      };
      const manifest = { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: { name }, spec };
      const work = await createWork(world, [manifest], as(namespace, 'runner'));
      const failed = await workWith(world, work, 'Applied', 'False');
      expect(conditionOf(failed, 0, 'Applied')?.message).toContain('error: permission escalation');
      expect(await find(world.cluster, certificateSigningRequests, { name })).toBeUndefined();
      await deleteWork(world, work);
    });

    it('keeps applied objects when the rights are removed', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      await grant(world, namespace, 'runner', [{ apiGroups: [''], resources: ['configmaps'], verbs: VERBS }]);
      const work = await createWork(world, [configMap(namespace, 'mine')], as(namespace, 'runner'));
      await applied(world, work);
      await world.cluster.delete(roleBindings, { namespace, name: 'runner-binding' });
      await world.settled();
      expect(await find(world.cluster, configMaps, { namespace, name: 'mine' })).toBeDefined();
      await deleteWork(world, work);
    });

    it('reports removed rights at the next change of the work', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      await grant(world, namespace, 'runner', [{ apiGroups: [''], resources: ['configmaps'], verbs: VERBS }]);
      const config = { ...as(namespace, 'runner'), ...readsOf('configmaps') };
      const work = await createWork(world, [configMap(namespace, 'mine', { a: 'canary-1' })], config);
      expect(JSON.stringify((await applied(world, work)).status)).toContain('canary-1');
      await world.cluster.delete(roleBindings, { namespace, name: 'runner-binding' });
      await editWork(world, work, [configMap(namespace, 'mine', { a: 'canary-2' })]);
      const failed = await workWith(world, work, 'Applied', 'False');
      expect(conditionOf(failed, 0, 'Applied')?.message).toContain('not allowed to apply the resource');
      expect(JSON.stringify(failed.status)).not.toContain('canary');
      await deleteWork(world, work);
    });

    it('is applied as soon as another work brings the rights', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const work = await createWork(world, [configMap(namespace, 'mine')], as(namespace, 'runner'));
      await workWith(world, work, 'Applied', 'False');
      const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: VERBS }];
      const rights = await createWork(world, [role(namespace, 'r', rules), binding(namespace, 'b', 'r', 'runner')]);
      await applied(world, rights);
      await applied(world, work);
      await deleteWork(world, work);
      await deleteWork(world, rights);
    });
  });

  describe.each(['Update', 'CreateOnly', 'ServerSideApply', 'ReadOnly'] as const)(
    'AT-52 %s with an executor that may not get the object',
    (type) => {
      it.each([
        { name: 'has no rights', verbs: [] },
        { name: 'has every right but get', verbs: ['create', 'update', 'patch', 'delete', 'list', 'watch'] },
      ])('reports the same for an object that exists as for one that does not, if the executor $name', async ({ verbs }) => {
        const world = worldOf();
        const namespace = await world.newNamespace();
        if (verbs.length > 0) await grant(world, namespace, 'runner', [{ apiGroups: [''], resources: ['secrets'], verbs }]);
        const secret = (name: string, text: string): Manifest => ({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { namespace, name },
          stringData: { a: text },
        });
        await world.cluster.create(secrets, secret('there', 'canary'));
        const config = { ...as(namespace, 'runner'), ...readsOf('secrets', type) };
        const [there, absent] = await Promise.all(
          ['there', 'absent'].map(async (name) => {
            const work = await createWork(world, [secret(name, 'mine')], config);
            const failed = await workWith(world, work, 'Applied', 'False');
            const listed = JSON.stringify((await appliedWorkOf(world, work)).status?.appliedResources ?? []);
            const seen = {
              status: JSON.parse(JSON.stringify(failed.status).replaceAll(name, 'x').replaceAll(TIME, '')) as unknown,
              listed,
            };
            await deleteWork(world, work);
            return seen;
          }),
        );
        expect(there).toEqual(absent);
        const text = JSON.stringify(there);
        expect(text).not.toMatch(
          /canary|Y2FuYXJ5|statusFeedback|StatusFeedbackSynced|ResourceAvailable|ResourceNotAvailable|ConditionRule/,
        );
        expect((await world.cluster.get(secrets, { namespace, name: 'there' })).metadata.ownerReferences ?? []).toEqual([]);
        expect(await find(world.cluster, secrets, { namespace, name: 'absent' })).toBeUndefined();
      });
    },
  );
}

const GUARDED = 'the label tier is guarded';

/** Makes the cluster refuse that the user changes the label `tier` of a role, and waits until it does. */
async function guardLabels({ cluster, eventually }: AgentWorld, namespace: string, name: string, user: string): Promise<void> {
  const matched = {
    apiGroups: ['rbac.authorization.k8s.io'],
    apiVersions: ['v1'],
    operations: ['UPDATE'],
    resources: ['roles'],
    resourceNames: [name],
  };
  const policy = `${namespace}-labels`;
  const apiVersion = `${POLICIES.group}/v1`;
  await cluster.create(POLICIES, {
    apiVersion,
    kind: POLICIES.kind,
    metadata: { name: policy },
    spec: {
      matchConstraints: { resourceRules: [matched] },
      matchConditions: [{ name: 'user', expression: `request.userInfo.username == '${user}' && request.namespace == '${namespace}'` }],
      validations: [{ expression: 'object.metadata.labels.tier == oldObject.metadata.labels.tier', message: GUARDED }],
    },
  } as KubeObject);
  await cluster.create(POLICY_BINDINGS, {
    apiVersion,
    kind: POLICY_BINDINGS.kind,
    metadata: { name: policy },
    spec: { policyName: policy, validationActions: ['Deny'] },
  } as KubeObject);
  await eventually('the label is guarded', () =>
    cluster
      .patch(
        roles,
        { namespace, name },
        { type: 'merge', patch: { metadata: { labels: { tier: 'probe' } } } },
        { asUser: user, dryRun: true },
      )
      .then(
        () => undefined,
        // The request may also fail because the server does not yet know the role of the user.
        (error: unknown) => errorMessage(error).includes(GUARDED) || undefined,
      ),
  );
}

const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Returns every way in which a work can report values of an object. */
function readsOf(resource: string, type: 'Update' | 'CreateOnly' | 'ServerSideApply' | 'ReadOnly' = 'Update'): Partial<ManifestWorkSpec> {
  return {
    manifestConfigs: [
      {
        resourceIdentifier: { resource, name: '*', namespace: '*' },
        updateStrategy: { type },
        feedbackRules: [
          {
            type: 'JSONPaths',
            jsonPaths: [
              { name: 'a', path: '.data.a' },
              { name: 'uid', path: '.metadata.uid' },
            ],
          },
          { type: 'WellKnownStatus' },
        ],
        conditionRules: [
          { type: 'CEL', condition: 'HasData', celExpressions: ['has(object.data.a)'], messageExpression: 'object.data.a' },
          {
            type: 'CEL',
            condition: 'Guess',
            celExpressions: ["object.data.a.startsWith('c') || object.data.a.startsWith('Y')"],
            message: 'a guess',
          },
          { type: 'CEL', condition: 'Broken', celExpressions: ['object.nothing.here'] },
          { type: 'WellKnownConditions', condition: 'Complete' },
        ],
      },
    ],
  };
}

const POLICIES: Kind = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  namespaced: false,
};

const POLICY_BINDINGS: Kind = { ...POLICIES, kind: 'ValidatingAdmissionPolicyBinding', plural: 'validatingadmissionpolicybindings' };

/** Defines the tests of a policy with parameters, which only a kube-apiserver checks against the permissions of its writer. */
export function describePolicyOfExecutor(worldOf: () => AgentWorld): void {
  describe('AT-16 a work with an executor that writes policies', () => {
    it('writes no policy with parameters that the executor may not read', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const name = `${namespace}-policy`;
      const rules = [{ apiGroups: [POLICIES.group], resources: [POLICIES.plural], verbs: VERBS }];
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name } as const;
      const subjects = [{ kind: 'ServiceAccount', namespace, name: 'runner' }] as const;
      await world.cluster.create(clusterRoles, { apiVersion: RBAC, kind: 'ClusterRole', metadata: { name }, rules });
      await world.cluster.create(clusterRoleBindings, {
        apiVersion: RBAC,
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef,
        subjects,
      });
      const matched = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
      const policy = (suffix: string, spec: object): Manifest => ({
        apiVersion: `${POLICIES.group}/v1`,
        kind: POLICIES.kind,
        metadata: { name: `${name}-${suffix}` },
        spec: { matchConstraints: { resourceRules: [matched] }, validations: [{ expression: 'true' }], ...spec },
      });
      const withParams = policy('params', { paramKind: { apiVersion: 'v1', kind: 'Secret' } });
      const work = await createWork(world, [policy('plain', {}), withParams], as(namespace, 'runner'));
      const failed = await workWith(world, work, 'Applied', 'False');
      expect(conditionOf(failed, 0, 'Applied')?.status).toBe('True');
      expect(conditionOf(failed, 1, 'Applied')?.message).toContain('spec.paramKind: Forbidden');
      expect(await find(world.cluster, POLICIES, { name: `${name}-plain` })).toBeDefined();
      expect(await find(world.cluster, POLICIES, { name: `${name}-params` })).toBeUndefined();
      await deleteWork(world, work);
    });
  });
}
