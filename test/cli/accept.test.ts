import { certificateSigningRequests, managedClusters } from '@outrigger/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificateRequest } from '../harness/certificates.js';
import { type CliWorld, startCliWorld } from './world.js';

const AGENT = 'system:open-cluster-management:stranger';

describe('accepting a cluster', () => {
  let world: CliWorld;
  beforeAll(async () => {
    world = await startCliWorld(0);
    for (const name of ['stranger', 'quiet'])
      await world.fleet.hub.create(managedClusters, {
        apiVersion: 'cluster.open-cluster-management.io/v1',
        kind: 'ManagedCluster',
        metadata: { name },
        spec: { hubAcceptsClient: false },
      });
    const request = await certificateRequest(`/O=${AGENT}/O=system:open-cluster-management:managed-clusters/CN=${AGENT}:a1`);
    await world.fleet.hub.create(certificateSigningRequests, {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'stranger-x7', labels: { 'open-cluster-management.io/cluster-name': 'stranger' } },
      spec: {
        request,
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['digital signature', 'key encipherment', 'client auth'],
      },
    });
  });
  afterAll(() => world.stop());

  it('names the certificate request that waits for an administrator, and approves none', async () => {
    const { code, out, note } = await world.outrigger('accept', 'stranger');
    expect([code, out]).toEqual([0, 'stranger accepted\n']);
    expect(note).toMatch(/^its certificate request stranger-x7, made by \S+, waits for you: kubectl certificate approve stranger-x7\n$/);
    expect((await world.fleet.hub.get(certificateSigningRequests, { name: 'stranger-x7' })).status?.conditions ?? []).toEqual([]);
  });

  it('adds nothing if nothing waits', async () => {
    expect(await world.outrigger('accept', 'quiet')).toEqual({ code: 0, out: 'quiet accepted\n', note: '' });
  });
});
