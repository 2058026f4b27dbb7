import {
  ALL_CLUSTER_AGENTS_GROUP,
  CLIENT_CERTIFICATE_USAGES,
  CLUSTER_NAME_LABEL,
  type CertificateSigningRequest,
  KUBE_CLIENT_SIGNER,
  certificateSigningRequests,
  clusterAgentGroup,
  clusterAgentUser,
  leases,
  managedClusters,
  secrets,
  serviceAccounts,
} from '@outrigger/api';
import { type ApiError, findCondition, toTime } from '@outrigger/core';
import { createCsr, exportPrivateKey } from '@outrigger/core/x509';
import { createJoinToken } from '@outrigger/hub';
import type { Client } from '@outrigger/kube';
import { expect, it } from 'vitest';
import { heldRights } from '../install/roles-for-people.js';
import { absentAsUndefined } from '../placement/world.js';
import { conditionOf } from './agent.js';
import type { ServerWorld } from './server-world.js';

const answer = async (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => 'allowed',
    (error: ApiError) => error.reason,
  );

interface KeyedRequest {
  readonly request: CertificateSigningRequest;
  readonly key: string;
}

/** Creates a key and a request for a cluster agent's certificate. */
async function agentRequest({ runtime }: ServerWorld, cluster: string, name: string): Promise<KeyedRequest> {
  const keyPair = await runtime.keys.generate('P-256');
  const organizations = [clusterAgentGroup(cluster), ALL_CLUSTER_AGENTS_GROUP];
  const csr = await createCsr(runtime.keys, { keyPair, commonName: clusterAgentUser(cluster, 'agent'), organizations });
  const request: CertificateSigningRequest = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name, labels: { [CLUSTER_NAME_LABEL]: cluster } },
    spec: { request: btoa(csr), signerName: KUBE_CLIENT_SIGNER, usages: CLIENT_CERTIFICATE_USAGES },
  };
  return { request, key: await exportPrivateKey(runtime.keys, keyPair.privateKey) };
}

async function sayJoined(hub: Client, cluster: string): Promise<void> {
  const condition = {
    type: 'ManagedClusterJoined',
    status: 'True',
    reason: 'ManagedClusterJoined',
    message: 'Managed cluster joined',
    lastTransitionTime: toTime(Date.now()),
  };
  const { status } = await hub.get(managedClusters, { name: cluster });
  const conditions = [...(status?.conditions ?? []), condition];
  await hub.patch(
    managedClusters,
    { name: cluster },
    { type: 'merge', patch: { status: { conditions: conditions as never } } },
    { subresource: 'status' },
  );
}

/** Waits until the manager has granted a new token its permissions. */
async function usable({ eventually }: ServerWorld, bearer: Client, cluster: string): Promise<void> {
  await eventually(`the token of ${cluster} is good`, async () =>
    (await answer(bearer.get(managedClusters, { name: cluster }))) === 'allowed' ? true : undefined,
  );
}

/** Defines the tests of the permissions of a join token. The permissions are the same on every server. */
export function describeJoining(world: () => ServerWorld): void {
  it('AT-09 a join token lets its cluster in, reads nothing of others, serves once, and is worthless after', async () => {
    const { hub, runtime, eventually, withToken, withCertificate } = world();
    const { token } = await createJoinToken({ client: hub, runtime, cluster: 'joiner' });
    await createJoinToken({ client: hub, runtime, cluster: 'other' });
    await conditionOf(world(), 'other', 'HubAcceptedManagedCluster', 'True');
    const bearer = withToken(token);
    await usable(world(), bearer, 'joiner');
    expect(await answer(bearer.get(managedClusters, { name: 'other' }))).toBe('Forbidden');
    expect(await answer(bearer.list(managedClusters))).toBe('Forbidden');
    expect(await answer(bearer.list(certificateSigningRequests))).toBe('Forbidden');
    expect(await answer(bearer.list(leases, { namespace: 'other' }))).toBe('Forbidden');
    expect(await answer(bearer.list(secrets, { namespace: 'kube-system' }))).toBe('Forbidden');
    expect(await answer(bearer.get(serviceAccounts, { namespace: 'outrigger-join', name: 'other' }))).toBe('Forbidden');

    const { request, key } = await agentRequest(world(), 'joiner', 'joiner-first');
    await bearer.create(certificateSigningRequests, request);
    const certificate = await eventually('the certificate', async () => {
      const found = await bearer.get(certificateSigningRequests, { name: 'joiner-first' }).catch(() => undefined);
      return found?.status?.certificate;
    });
    const second = await agentRequest(world(), 'joiner', 'joiner-second');
    expect(await answer(bearer.create(certificateSigningRequests, second.request))).toBe('Forbidden');

    await conditionOf(world(), 'joiner', 'HubAcceptedManagedCluster', 'True');
    const agent = withCertificate(atob(certificate), key);
    await eventually('the agent may begin', async () =>
      (await answer(agent.get(managedClusters, { name: 'joiner' }))) === 'allowed' ? true : undefined,
    );
    await sayJoined(agent, 'joiner');
    await eventually('the token has ended', async () =>
      (await answer(bearer.get(managedClusters, { name: 'joiner' }))) === 'Unauthorized' ? true : undefined,
    );
    expect(await answer(bearer.create(certificateSigningRequests, second.request))).toBe('Unauthorized');
    expect(await absentAsUndefined(hub.get(serviceAccounts, { namespace: 'outrigger-join', name: 'joiner' }))).toBeUndefined();
  });

  it('AT-09 a token for an agent that follows all certificate requests reads these, creates one request, and reads nothing else', async () => {
    const { hub, runtime, eventually, withToken } = world();
    const { token } = await createJoinToken({ client: hub, runtime, cluster: 'follower', readsRequests: true });
    const bearer = withToken(token);
    await usable(world(), bearer, 'follower');
    expect(await answer(bearer.list(certificateSigningRequests))).toBe('allowed');
    expect(await answer(bearer.list(managedClusters))).toBe('Forbidden');
    expect(await answer(bearer.list(secrets, { namespace: 'kube-system' }))).toBe('Forbidden');
    const { request } = await agentRequest(world(), 'follower', 'follower-first');
    await bearer.create(certificateSigningRequests, request);
    const second = await agentRequest(world(), 'follower', 'follower-second');
    await eventually('the token has served', async () =>
      (await answer(bearer.create(certificateSigningRequests, second.request, { dryRun: true }))) === 'Forbidden' ? true : undefined,
    );
    expect(await answer(bearer.list(certificateSigningRequests))).toBe('allowed');
    await hub.delete(managedClusters, { name: 'follower' });
  });

  it('AT-08 the name of a cluster that has joined cannot be used again, and the attempt does not affect the cluster', async () => {
    const { hub, runtime } = world();
    // Leave out the other conditions of the cluster, because the manager may write them between two reads.
    const joiner = async () => {
      const { metadata, spec, status } = await hub.get(managedClusters, { name: 'joiner' });
      return {
        uid: metadata.uid,
        generation: metadata.generation,
        spec,
        joined: findCondition(status?.conditions, 'ManagedClusterJoined'),
      };
    };
    const before = await joiner();
    await expect(createJoinToken({ client: hub, runtime, cluster: 'joiner' })).rejects.toThrow('cluster "joiner" has joined already');
    expect(await joiner()).toEqual(before);
    expect(await absentAsUndefined(hub.get(serviceAccounts, { namespace: 'outrigger-join', name: 'joiner' }))).toBeUndefined();
  });

  it('AT-09 a request for another cluster than the token is for gets no certificate', async () => {
    const { hub, runtime, eventually, withToken } = world();
    const { token } = await createJoinToken({ client: hub, runtime, cluster: 'honest' });
    await createJoinToken({ client: hub, runtime, cluster: 'victim' });
    const { request } = await agentRequest(world(), 'victim', 'victim-by-another');
    const bearer = withToken(token);
    await usable(world(), bearer, 'honest');
    await bearer.create(certificateSigningRequests, request);
    const verdict = await eventually('a verdict', async () => {
      const { status } = await hub.get(certificateSigningRequests, { name: 'victim-by-another' });
      return status?.conditions?.[0];
    });
    expect(verdict.type).toBe('Denied');
  });

  it('a new token for a cluster ends the one before', async () => {
    const { hub, runtime, eventually, withToken } = world();
    const first = withToken((await createJoinToken({ client: hub, runtime, cluster: 'twice' })).token);
    await usable(world(), first, 'twice');
    const second = withToken((await createJoinToken({ client: hub, runtime, cluster: 'twice' })).token);
    await eventually('the first has ended', async () =>
      (await answer(first.get(managedClusters, { name: 'twice' }))) === 'Unauthorized' ? true : undefined,
    );
    await usable(world(), second, 'twice');
  });

  it('AT-09 a token that sends many requests at once, for different keys, gets one certificate', async () => {
    const { hub, runtime, eventually, withToken } = world();
    const bearer = withToken((await createJoinToken({ client: hub, runtime, cluster: 'greedy' })).token);
    await usable(world(), bearer, 'greedy');
    const names = Array.from({ length: 12 }, (_, i) => `greedy-${i}`);
    const requests = await Promise.all(names.map((name) => agentRequest(world(), 'greedy', name)));
    const answers = await Promise.all(requests.map(({ request }) => answer(bearer.create(certificateSigningRequests, request))));
    const created = names.filter((_, i) => answers[i] === 'allowed');
    expect(created.length).toBeGreaterThan(0);
    const approved = await eventually('every request is decided', async () => {
      const found = await Promise.all(created.map((name) => hub.get(certificateSigningRequests, { name })));
      const verdicts = found.map(({ status }) => status?.conditions?.find(({ type }) => ['Approved', 'Denied'].includes(type))?.type);
      return verdicts.includes(undefined) ? undefined : verdicts.filter((type) => type === 'Approved').length;
    });
    expect(approved).toBe(1);
  });

  it('AT-09 the account of a join token has no right that leads to more', async () => {
    const { hub, runtime, withToken } = world();
    const bearer = withToken((await createJoinToken({ client: hub, runtime, cluster: 'modest' })).token);
    await usable(world(), bearer, 'modest');
    const groups = ['system:serviceaccounts', 'system:serviceaccounts:outrigger-join', 'system:authenticated'];
    const held = await heldRights(hub, {
      user: 'system:serviceaccount:outrigger-join:modest',
      groups,
      places: ['', 'outrigger-join'],
    });
    // The holder of the token may request a certificate, but creating a request grants nothing by itself.
    expect(held.filter((right) => !right.startsWith('create certificatesigningrequests '))).toEqual([]);
  });

  it('AT-09 a token ends with its cluster, and does not come back with the next cluster of that name', async () => {
    const { hub, runtime, eventually, withToken } = world();
    const first = withToken((await createJoinToken({ client: hub, runtime, cluster: 'phoenix' })).token);
    await usable(world(), first, 'phoenix');
    await hub.delete(managedClusters, { name: 'phoenix' });
    await eventually('the token has ended', async () =>
      (await answer(first.get(managedClusters, { name: 'phoenix' }))) === 'Unauthorized' ? true : undefined,
    );
    await eventually('the cluster is gone', async () =>
      (await absentAsUndefined(hub.get(managedClusters, { name: 'phoenix' }))) ? undefined : true,
    );
    const second = withToken((await createJoinToken({ client: hub, runtime, cluster: 'phoenix' })).token);
    await usable(world(), second, 'phoenix');
    const { request } = await agentRequest(world(), 'phoenix', 'phoenix-late');
    expect(await answer(first.get(managedClusters, { name: 'phoenix' }))).toBe('Unauthorized');
    expect(await answer(first.create(certificateSigningRequests, request))).toBe('Unauthorized');
  });

  it.each([
    { cluster: 'Not A Name', want: 'cannot be the name of a cluster' },
    { cluster: 'short', expiresInSeconds: 60, want: 'a join token must last at least 600 seconds, not 60' },
  ])('refuses $cluster: $want', async ({ want, ...options }) => {
    const { hub, runtime } = world();
    await expect(createJoinToken({ client: hub, runtime, ...options })).rejects.toThrow(want);
  });
}
