import { type WebhookServer, createAdmission, publishWebhooks, serveWebhooks } from '@outrigger/hub';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport, loadConnection } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLUSTER_NAME_LABEL, KUBE_CLIENT_SIGNER, certificateSigningRequests, managedClusters } from '@outrigger/api';
import { certificateRequest } from '../harness/certificates.js';
import { type OwnClusterWorld, describeOwnCluster } from '../integration/identity/own-cluster.js';
import { describeWriterRights, failsClosed } from '../integration/identity/writer-rights.js';
import { answerOf } from '../integration/identity/scenario.js';
import { type KubeHub, startKubeHub } from './hub.js';

describe('by webhook', () => {
  let world: KubeHub;
  let webhook: WebhookServer;
  let connectAs: (user: string, groups: readonly string[]) => Client;
  const stops: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    world = await startKubeHub();
    const { runtime, hub: client } = world;
    const { connection } = await loadConnection({ kubeconfig: world.kube.kubeconfigPath });
    connectAs = (user, groups) => {
      const transport = createHttpTransport({ ...connection, impersonate: { user, groups, extra: {} } }, runtime, { protocol: 'http/1.1' });
      stops.push(() => transport.close());
      return createClient({ transport, runtime });
    };
    const admission = createAdmission({
      view: () => (world.manager.hasReadAll ? world.manager.view : undefined),
      client: () => client,
      clock: runtime.clock,
      settings: { managerNamespace: 'default', trustedUsers: [], checkMissingExecutor: false },
    });
    const publish = (caBundle: string, port: number): Promise<void> =>
      publishWebhooks(client, { url: `https://127.0.0.1:${port}`, caBundle }, runtime.log);
    webhook = await serveWebhooks({
      runtime,
      client,
      admission,
      namespace: 'default',
      port: 0,
      host: '127.0.0.1',
      ips: ['127.0.0.1'],
      publish,
    });
    await world.eventually('the webhooks are asked', async () => {
      const name = 'not.a-label';
      const object = { apiVersion: 'cluster.open-cluster-management.io/v1', kind: 'ManagedCluster', metadata: { name }, spec: {} };
      const answer = await answerOf(client.create(managedClusters, object, { dryRun: true }));
      return answer === 'allowed' ? undefined : true;
    });
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
    await webhook.close();
    await world.stop();
  });

  const own = (): OwnClusterWorld => ({
    runtime: world.runtime,
    hub: world.hub,
    as: (user, groups) => connectAs(user, groups),
    eventually: world.eventually,
  });
  describeOwnCluster('kube-apiserver', own);
  describeWriterRights('kube-apiserver', own);

  it('AT-17 while no webhook answers, a cluster cannot write its ManagedCluster, and people can', async () => {
    await webhook.close();
    const agent = connectAs('system:open-cluster-management:own:agent', ['system:open-cluster-management:own', 'system:authenticated']);
    // The write is retried, because the hub may write the object between the agent's read and write.
    const answer = await world.eventually('the agent has written', async () => {
      const own = await agent.get(managedClusters, { name: 'own' });
      const labelled = { ...own, metadata: { ...own.metadata, labels: { ...own.metadata.labels, 'example.com/tier': 'high' } } };
      const answered = await answerOf(agent.replace(managedClusters, labelled));
      return answered === 'Conflict' ? undefined : answered;
    });
    expect(answer).toBe('InternalError');
    const person = { type: 'merge', patch: { metadata: { labels: { 'example.com/tier': 'middle' } } } } as const;
    expect((await world.hub.patch(managedClusters, { name: 'own' }, person)).metadata.labels?.['example.com/tier']).toBe('middle');
  });

  it('AT-50 while no webhook answers, no certificate of a cluster can be requested, so none is requested without the cap', async () => {
    const user = 'system:open-cluster-management:own:agent';
    const agent = connectAs(user, ['system:open-cluster-management:own', 'system:authenticated']);
    const request = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'for-a-year', labels: { [CLUSTER_NAME_LABEL]: 'own' } },
      spec: {
        request: await certificateRequest(`/CN=${user}/O=system:open-cluster-management:own`),
        signerName: KUBE_CLIENT_SIGNER,
        usages: ['digital signature', 'key encipherment', 'client auth'],
        expirationSeconds: 365 * 86_400,
      },
    } as const;
    expect(await answerOf(agent.create(certificateSigningRequests, request))).toBe('InternalError');
  });

  it('AT-16 while no webhook answers, writes that need a right of their writer are refused, and others are accepted', () =>
    failsClosed(own()));
});
