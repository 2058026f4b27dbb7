import {
  ALL_CLUSTER_AGENTS_GROUP,
  CLUSTER_NAME_LABEL,
  addOnTemplates,
  certificateSigningRequests,
  clusterAgentGroup,
  clusterAgentUser,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusterSetBindings,
  managedClusterSets,
  managedClusters,
  manifestWorkReplicaSets,
  manifestWorks,
  namespaces,
  placements,
  serviceAccounts,
} from '@outrigger/api';
import { type Kind, type KubeObject, apiVersionOf } from '@outrigger/core';
import { expect } from 'vitest';
import { certificateRequest } from '../../harness/certificates.js';
import { templateOf } from '../addon/objects.js';
import type { FlagWorld } from './hub-flags.js';

const ACCOUNT = { namespace: 'open-cluster-management', name: 'agent-registration-bootstrap' };
const BOOTSTRAP = `system:serviceaccount:${ACCOUNT.namespace}:${ACCOUNT.name}`;
const BOOTSTRAP_GROUPS = ['system:serviceaccounts', `system:serviceaccounts:${ACCOUNT.namespace}`, 'system:authenticated'];
const CLUSTER = 'adm1';
const SET_LABEL = 'cluster.open-cluster-management.io/clusterset';
const MANIFESTS = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace: 'default' }, data: { a: 'b' } }];

function of(kind: Kind, metadata: KubeObject['metadata'], spec: object): never {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec } as never;
}

/**
 * Sends the requests of clusteradm, in the order in which an operator types its commands. The program itself cannot be built where its
 * module is not available, so the requests follow its documented behaviour.
 */
export async function servesClusteradm({ admin, as, outrigger, start, eventually }: FlagWorld): Promise<void> {
  expect(await outrigger('install', 'hub', '--image', 'example.com/outrigger:1', '--clusteradm', '--apply')).toMatchObject({ code: 0 });
  const stop = start('hub', '--no-leader-election', '--namespace', 'adm-manager', '--metrics-port', '0', '--log-level', 'error');

  // `clusteradm get token` reads the ServiceAccount and requests a token for it.
  await admin.get(serviceAccounts, ACCOUNT);
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: { expirationSeconds: 86_400 } };
  const token = (await admin.createSubresource(serviceAccounts, ACCOUNT, 'token', request)) as KubeObject & {
    readonly status?: { readonly token?: string };
  };
  expect(token.status?.token).toBeTruthy();

  // `join`: the registration agent on the cluster creates the ManagedCluster with that token.
  const agent = as(BOOTSTRAP, BOOTSTRAP_GROUPS);
  await agent.create(managedClusters, of(managedClusters, { name: CLUSTER }, {}));
  const subject = `/O=${clusterAgentGroup(CLUSTER)}/O=${ALL_CLUSTER_AGENTS_GROUP}/CN=${clusterAgentUser(CLUSTER, 'agent1')}`;
  await agent.create(
    certificateSigningRequests,
    of(
      certificateSigningRequests,
      { generateName: `${CLUSTER}-`, labels: { [CLUSTER_NAME_LABEL]: CLUSTER } },
      {
        request: await certificateRequest(subject),
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['digital signature', 'key encipherment', 'client auth'],
      },
    ),
  );

  // `accept`: approves the requests of the bootstrap account with the cluster's label, and sets hubAcceptsClient.
  const { items } = await admin.list(certificateSigningRequests, { labelSelector: `${CLUSTER_NAME_LABEL}=${CLUSTER}` });
  const [csr] = items.filter(({ spec }) => spec.username === BOOTSTRAP);
  if (!csr) throw new Error('the request is not listed by its label');
  const approved = {
    type: 'Approved',
    status: 'True',
    reason: 'AdmApprove',
    message: 'This CSR was approved by clusteradm accept.',
  } as const;
  await admin.replace(certificateSigningRequests, { ...csr, status: { conditions: [approved] } }, { subresource: 'approval' });
  await eventually('hubAcceptsClient is set', async () => {
    const cluster = await admin.get(managedClusters, { name: CLUSTER });
    return admin.replace(managedClusters, { ...cluster, spec: { ...cluster.spec, hubAcceptsClient: true } }).catch(() => undefined);
  });
  await eventually('the namespace of the cluster exists', () => admin.get(namespaces, { name: CLUSTER }));
  await eventually('the hub reports the acceptance', async () => {
    const { status } = await admin.get(managedClusters, { name: CLUSTER });
    return status?.conditions?.find(({ type }) => type === 'HubAcceptedManagedCluster');
  });

  // `clusterset create`, `set` and `bind`.
  await admin.create(managedClusterSets, of(managedClusterSets, { name: 'adm-set' }, {}));
  await eventually('the cluster is in the set', async () => {
    const cluster = await admin.get(managedClusters, { name: CLUSTER });
    const labels = { ...cluster.metadata.labels, [SET_LABEL]: 'adm-set' };
    return admin.replace(managedClusters, { ...cluster, metadata: { ...cluster.metadata, labels } }).catch(() => undefined);
  });
  const binding = of(managedClusterSetBindings, { name: 'adm-set', namespace: 'default' }, { clusterSet: 'adm-set' });
  await admin.create(managedClusterSetBindings, binding);
  await eventually('the set counts its cluster', async () =>
    (await admin.get(managedClusterSets, { name: 'adm-set' })).status?.conditions?.some(
      ({ type, status }) => type === 'ClusterSetEmpty' && status === 'False',
    )
      ? true
      : undefined,
  );

  // `create work`, and `create work --overwrite`.
  const work = await admin.create(
    manifestWorks,
    of(manifestWorks, { name: 'adm-work', namespace: CLUSTER }, { workload: { manifests: MANIFESTS } }),
  );
  const changed = { manifests: [{ ...MANIFESTS[0], data: { a: 'c' } }] };
  await admin.replace(manifestWorks, { ...work, spec: { ...work.spec, workload: changed } } as never);

  // `create work --replicaset --placement default/adm-place`.
  await admin.create(
    placements,
    of(placements, { name: 'adm-place', namespace: 'default' }, { clusterSets: ['adm-set'], tolerations: UNREACHABLE }),
  );
  await admin.create(
    manifestWorkReplicaSets,
    of(
      manifestWorkReplicaSets,
      { name: 'adm-set-work', namespace: 'default' },
      { placementRefs: [{ name: 'adm-place' }], manifestWorkTemplate: { workload: { manifests: MANIFESTS } } },
    ),
  );
  await eventually('the replica set has created its work', async () => {
    const works = (await admin.list(manifestWorks, { namespace: CLUSTER })).items;
    return works.some(
      ({ metadata }) => metadata.labels?.['work.open-cluster-management.io/manifestworkreplicaset'] === 'default.adm-set-work',
    )
      ? true
      : undefined;
  });

  // `addon enable`: creates the ManagedClusterAddOn in the namespace of each cluster, or updates it if it exists.
  await admin.create(addOnTemplates, templateOf('adm-add-on', { version: 'v1' }));
  await admin.create(clusterManagementAddOns, of(clusterManagementAddOns, { name: 'adm-add-on' }, {}));
  const enabled = of(
    managedClusterAddOns,
    { name: 'adm-add-on', namespace: CLUSTER },
    { installNamespace: 'open-cluster-management-agent-addon' },
  );
  await admin.create(managedClusterAddOns, enabled);
  await eventually('the add-on has its work', async () =>
    (await admin.list(manifestWorks, { namespace: CLUSTER })).items.find(({ metadata }) => metadata.name?.startsWith('addon-adm-add-on')),
  );
  await eventually('the add-on is enabled again with another annotation', async () => {
    const current = await admin.get(managedClusterAddOns, { namespace: CLUSTER, name: 'adm-add-on' });
    const annotations = { ...current.metadata.annotations, 'example.com/team': 'edge' };
    return admin.replace(managedClusterAddOns, { ...current, metadata: { ...current.metadata, annotations } }).catch(() => undefined);
  });

  // `get clusters`, `get works`, `get addon` and `get clustersets` send list requests.
  for (const kind of [managedClusters, managedClusterSets, clusterManagementAddOns] as readonly Kind[])
    expect((await admin.list(kind)).items.length).toBeGreaterThan(0);
  for (const kind of [manifestWorks, managedClusterAddOns] as readonly Kind[])
    expect((await admin.list(kind, { namespace: CLUSTER })).items.length).toBeGreaterThan(0);

  // `addon disable`: deletes the ManagedClusterAddOn.
  await admin.delete(managedClusterAddOns, { namespace: CLUSTER, name: 'adm-add-on' });
  await eventually('the add-on is gone', async () =>
    (await admin.list(managedClusterAddOns, { namespace: CLUSTER })).items.length === 0 ? true : undefined,
  );

  // `delete`: the replica set releases its works before it is deleted.
  await admin.delete(manifestWorkReplicaSets, { namespace: 'default', name: 'adm-set-work' });
  await eventually('the replica set is gone', async () =>
    (await admin.list(manifestWorkReplicaSets, { namespace: 'default' })).items.length === 0 ? true : undefined,
  );
  expect(await stop()).toBe(0);
}

/** These tolerations are needed because no agent renews the cluster's lease in this test. */
const UNREACHABLE = [
  { key: 'cluster.open-cluster-management.io/unreachable', operator: 'Exists' },
  { key: 'cluster.open-cluster-management.io/unavailable', operator: 'Exists' },
];
