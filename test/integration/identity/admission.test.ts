import {
  type AddOnTemplate,
  KIND_DEFINITIONS,
  type ManifestWork,
  type PolicyRule,
  type SubjectAccessReview,
  addOnTemplates,
  clusterRoleBindings,
  clusterRoles,
  customResourceDefinition,
  manifestWorks,
  namespaces,
  subjectAccessReviews,
} from '@outrigger/api';
import { type ControlPlane, type Identity, createControlPlane } from '@outrigger/control-plane';
import type { Transport } from '@outrigger/core';
import { createAdmission, hubAdmission } from '@outrigger/hub';
import { type Client, createClient } from '@outrigger/kube';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf } from './scenario.js';

const RBAC = 'rbac.authorization.k8s.io';
const GROUPS = ['writers', 'system:authenticated'];
/** This user may write works and templates. Admission checks further permissions with the API server. */
const plain: Identity = { user: 'plain', groups: GROUPS };
const runner: Identity = { user: 'runner', groups: [...GROUPS, 'runners'] };
/** This user is authenticated by a token that also contains a uid and extra fields. */
const delegated: Identity = { user: 'delegated', groups: GROUPS, uid: 'uid-7', extra: { 'example.com/scopes': ['works', 'read'] } };

describe('admission on the hub', () => {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  const kinds = new Set(['ManifestWork', 'AddOnTemplate']);
  const asked: SubjectAccessReview[] = [];
  let server: ControlPlane;
  let hub: Client;

  beforeAll(async () => {
    const admission = createAdmission({
      view: () => undefined,
      client: () => createClient({ transport: noted(server.transport()), runtime }),
      clock: runtime.clock,
      settings: { managerNamespace: 'manager', trustedUsers: [], checkMissingExecutor: false },
    });
    const crds = KIND_DEFINITIONS.filter(({ kind }) => kinds.has(kind)).map((definition) => customResourceDefinition(definition));
    server = await createControlPlane({ runtime, storage: 'memory', crds, admission: [hubAdmission(admission)] });
    await server.start();
    hub = createClient({ transport: server.transport(), runtime });
    for (const name of ['cluster1', 'manager', 'tenant']) {
      await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
    await grant('writers', [
      { apiGroups: ['work.open-cluster-management.io'], resources: ['manifestworks'], verbs: ['create', 'update', 'get'] },
      { apiGroups: ['addon.open-cluster-management.io'], resources: ['addontemplates'], verbs: ['create'] },
    ]);
    await grant('runners', [
      {
        apiGroups: ['work.open-cluster-management.io'],
        resources: ['manifestworks'],
        resourceNames: ['system:serviceaccount:apps:deployer'],
        verbs: ['execute-as'],
      },
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['ca'], verbs: ['get'] },
    ]);
  });
  afterAll(() => server.stop());

  function noted(inner: Transport): Transport {
    return {
      send(request, signal) {
        if (request.path.includes(subjectAccessReviews.plural)) asked.push(request.body as SubjectAccessReview);
        return inner.send(request, signal);
      },
      close: () => inner.close(),
    };
  }

  async function grant(group: string, rules: readonly PolicyRule[]): Promise<void> {
    await hub.create(clusterRoles, { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name: group }, rules });
    await hub.create(clusterRoleBindings, {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: group },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: group },
      subjects: [{ kind: 'Group', apiGroup: RBAC, name: group }],
    });
  }

  const as = (identity: Identity): Client => createClient({ transport: server.transport(identity), runtime });

  describe('AT-16 a work with an executor', () => {
    it.each([
      { name: 'by a writer who may not use the executor’s account', identity: plain, account: 'deployer', want: 'BadRequest' },
      { name: 'by one who may', identity: runner, account: 'deployer', want: 'allowed' },
      { name: 'by a writer who may use another account', identity: runner, account: 'admin', want: 'BadRequest' },
    ])('$name: $want', async ({ identity, account, want }) => {
      expect(await answerOf(as(identity).create(manifestWorks, work(`${identity.user}-${account}`, account)))).toBe(want);
    });

    it('names the writer and the account in the refusal', async () => {
      await expect(as(plain).create(manifestWorks, work('told', 'deployer'))).rejects.toMatchObject({
        message: expect.stringContaining(
          'user plain cannot manipulate the Manifestwork with executor apps/deployer in namespace cluster1',
        ) as string,
      });
    });

    it('needs the right also if the executor is added later', async () => {
      const without = await as(plain).create(manifestWorks, work('later'));
      const { spec } = work('later', 'deployer');
      expect(await answerOf(as(plain).replace(manifestWorks, { ...without, spec }))).toBe('BadRequest');
    });

    it('checks the rights of the writer with all attributes that the server knows', async () => {
      asked.length = 0;
      expect(await answerOf(as(delegated).create(manifestWorks, work('delegated', 'deployer')))).toBe('BadRequest');
      expect(asked.map(({ spec }) => spec)).toMatchObject([
        { user: 'delegated', groups: GROUPS, uid: 'uid-7', extra: { 'example.com/scopes': ['works', 'read'] } },
      ]);
    });
  });

  describe('AT-10 a template that signs with a Secret', () => {
    it.each([
      { name: 'its author may not read', identity: plain, ca: { name: 'ca' }, want: 'Forbidden' },
      { name: 'its author may read', identity: runner, ca: { name: 'ca' }, want: 'allowed' },
      { name: 'of another tenant', identity: runner, ca: { name: 'other', namespace: 'tenant' }, want: 'Forbidden' },
    ])('$name: $want', async ({ identity, ca, want }) => {
      expect(await answerOf(as(identity).create(addOnTemplates, template(`${identity.user}-${ca.name}`, ca)))).toBe(want);
    });
  });
});

function work(name: string, account?: string): ManifestWork {
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } };
  const subject = { type: 'ServiceAccount', serviceAccount: { namespace: 'apps', name: account ?? '' } } as const;
  return {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata: { name, namespace: 'cluster1' },
    spec: { workload: { manifests: [manifest] }, ...(account === undefined ? {} : { executor: { subject } }) },
  };
}

function template(name: string, signingCA: { readonly name: string; readonly namespace?: string }): AddOnTemplate {
  return {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'AddOnTemplate',
    metadata: { name },
    spec: {
      addonName: 'hello',
      agentSpec: { workload: { manifests: [] } },
      registration: [{ type: 'CustomSigner', customSigner: { signerName: 'example.com/hello', signingCA } }],
    },
  };
}
