import {
  ALL_CLUSTER_AGENTS_GROUP,
  type CertificateSigningRequest,
  type ManagedCluster,
  certificateSigningRequests,
  clusterAgentGroup,
  clusterAgentUser,
  clusterRoleBindings,
  managedClusters,
} from '@outrigger/api';
import { createCsr } from '@outrigger/core/x509';
import type { Runtime } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { describe, expect, it } from 'vitest';
import { BOOTSTRAP_GROUP, acceptCluster, allowBootstrap } from './bootstrap-rights.js';
import { answerOf, found } from './scenario.js';

export interface OwnClusterWorld {
  readonly runtime: Runtime;
  /** A client for the hub's administrator. */
  readonly hub: Client;
  as(user: string, groups: readonly string[]): Client;
  eventually<T>(what: string, condition: () => Promise<T | undefined>): Promise<T>;
}

/** A ManagedCluster that a test modifies. */
interface Draft {
  metadata: Record<string, unknown>;
  spec: Record<string, unknown>;
}

const LABEL = 'example.com/tier';
const USAGES = ['digital signature', 'key encipherment', 'client auth'];

/** Defines the tests of the changes that a cluster's own identity can make on a hub with admission. The tests run on any API server. */
export function describeOwnCluster(title: string, world: () => OwnClusterWorld): void {
  describe(`AT-17 a cluster and its own ManagedCluster, ${title}`, () => {
    const agentOf = (cluster: string): Client =>
      world().as(clusterAgentUser(cluster, 'agent'), [clusterAgentGroup(cluster), ALL_CLUSTER_AGENTS_GROUP, 'system:authenticated']);
    const joiner = (): Client => world().as('system:bootstrap:joiner', ['system:bootstrappers', BOOTSTRAP_GROUP, 'system:authenticated']);
    const read = (name: string): Promise<ManagedCluster> => world().hub.get(managedClusters, { name });

    async function accepted(name: string): Promise<void> {
      const { hub } = world();
      if (!(await found(hub.get(managedClusters, { name })))) {
        await hub.create(managedClusters, {
          apiVersion: 'cluster.open-cluster-management.io/v1',
          kind: 'ManagedCluster',
          metadata: { name, labels: { [LABEL]: 'low' } },
          spec: { hubAcceptsClient: true },
        });
      }
      await world().eventually('the agent has its rights', async () =>
        (await found(hub.get(clusterRoleBindings, { name: `open-cluster-management:managedcluster:${name}` }))) &&
        (await answerOf(agentOf(name).get(managedClusters, { name }))) === 'allowed'
          ? true
          : undefined,
      );
    }

    /** Reads the ManagedCluster, changes it and writes it back, as upstream's agent does, and retries on a conflict. */
    async function update(name: string, change: (draft: Draft) => void): Promise<string> {
      for (;;) {
        const draft = structuredClone(await agentOf(name).get(managedClusters, { name })) as unknown as Draft;
        change(draft);
        const answer = await answerOf(agentOf(name).replace(managedClusters, draft as unknown as ManagedCluster));
        if (answer !== 'Conflict') return answer;
      }
    }

    it.each<{ name: string; change: (draft: Draft) => void; want: string }>([
      {
        name: 'its own address',
        change: ({ spec }) => void (spec['managedClusterClientConfigs'] = [{ url: 'https://a' }]),
        want: 'allowed',
      },
      { name: 'nothing', change: () => undefined, want: 'allowed' },
      { name: 'a taint', change: ({ spec }) => void (spec['taints'] = [{ key: 'mine', effect: 'NoSelect' }]), want: 'Forbidden' },
      { name: 'its acceptance', change: ({ spec }) => void (spec['hubAcceptsClient'] = false), want: 'Forbidden' },
      { name: 'the duration of its lease', change: ({ spec }) => void (spec['leaseDurationSeconds'] = 7), want: 'Forbidden' },
      { name: 'finalizers', change: ({ metadata }) => void (metadata['finalizers'] = []), want: 'Forbidden' },
      {
        name: 'owners',
        change: ({ metadata }) => void (metadata['ownerReferences'] = [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }]),
        want: 'Forbidden',
      },
    ])('$name: $want', async ({ change, want }) => {
      await accepted('own');
      expect(await update('own', change)).toBe(want);
    });

    it('labels and annotations of others stay as they are, and the rest of the update counts', async () => {
      await accepted('own');
      const before = await read('own');
      const answer = await update('own', ({ metadata, spec }) => {
        metadata['labels'] = { ...(metadata['labels'] as object), [LABEL]: 'high', 'example.com/new': 'x' };
        metadata['annotations'] = {
          'outrigger.dev/agent-key': 'mine',
          'outrigger.dev/detach': 'forced',
          'agent.open-cluster-management.io/zone': 'z',
        };
        spec['managedClusterClientConfigs'] = [{ url: 'https://b' }];
      });
      expect(answer).toBe('allowed');
      const { metadata, spec } = await read('own');
      expect(metadata.labels?.[LABEL]).toBe('low');
      expect(metadata.labels).not.toHaveProperty('example.com/new');
      const { 'agent.open-cluster-management.io/zone': zone, ...others } = metadata.annotations ?? {};
      expect(zone).toBe('z');
      expect(others).toEqual(before.metadata.annotations ?? {});
      expect(spec.managedClusterClientConfigs).toMatchObject([{ url: 'https://b' }]);
    });

    it('nothing but status is written through the status of the cluster', async () => {
      await accepted('own');
      const before = await read('own');
      await agentOf('own').patch(
        managedClusters,
        { name: 'own' },
        {
          type: 'merge',
          patch: {
            metadata: { labels: { [LABEL]: 'high' }, annotations: { 'outrigger.dev/agent-key': 'mine' } },
            spec: { taints: [], leaseDurationSeconds: 9 },
            status: { version: { kubernetes: 'v1.2.3' } },
          },
        },
        { subresource: 'status' },
      );
      const { metadata, spec, status } = await read('own');
      expect(status?.version).toEqual({ kubernetes: 'v1.2.3' });
      expect(metadata.labels?.[LABEL]).toBe('low');
      expect(metadata.annotations ?? {}).toEqual(before.metadata.annotations ?? {});
      expect(spec.leaseDurationSeconds).toBe(before.spec.leaseDurationSeconds);
    });

    it('a cluster that joins announces itself without choosing labels or acceptance', async () => {
      await allowBootstrap(world().hub);
      await world().eventually('the joiner has its rights', async () =>
        (await answerOf(joiner().get(managedClusters, { name: 'absent' }))) === 'NotFound' ? true : undefined,
      );
      const object = (name: string, metadata: object, spec: object): ManagedCluster => ({
        apiVersion: 'cluster.open-cluster-management.io/v1',
        kind: 'ManagedCluster',
        metadata: { name, ...metadata },
        spec,
      });
      const told = {
        labels: { [LABEL]: 'high' },
        annotations: { 'agent.open-cluster-management.io/a': 'b', 'outrigger.dev/agent-key': 'k' },
      };
      await joiner().create(managedClusters, object('fresh', told, { managedClusterClientConfigs: [{ url: 'https://c' }] }));
      const { metadata, spec } = await read('fresh');
      expect(metadata.labels).not.toHaveProperty(LABEL);
      expect(metadata.annotations).toEqual({ 'agent.open-cluster-management.io/a': 'b' });
      expect(spec.managedClusterClientConfigs).toMatchObject([{ url: 'https://c' }]);
      const taints = [{ key: 'k', effect: 'NoSelect' }];
      expect(await answerOf(joiner().create(managedClusters, object('tainted', {}, { taints })))).toBe('Forbidden');
      expect(await answerOf(joiner().create(managedClusters, object('accepted', {}, { hubAcceptsClient: true })))).toBe('Forbidden');
      expect(await answerOf(joiner().create(managedClusters, object('held', { finalizers: ['example.com/f'] }, {})))).toBe('Forbidden');
      await acceptCluster(world().hub, 'fresh');
    });

    it.each([
      { asked: undefined, want: 86_400 },
      { asked: 600, want: 600 },
      { asked: 86_400, want: 86_400 },
      { asked: 10 * 365 * 86_400, want: 86_400 },
    ])('AT-50 a certificate asked for with a lifetime of $asked s gets at most the cap', async ({ asked, want }) => {
      await accepted('own');
      const { keys } = world().runtime;
      const csr = await createCsr(keys, {
        keyPair: await keys.generate('P-256'),
        commonName: clusterAgentUser('own', 'agent'),
        organizations: [clusterAgentGroup('own'), ALL_CLUSTER_AGENTS_GROUP],
      });
      const request: CertificateSigningRequest = {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { generateName: 'own-', labels: { 'open-cluster-management.io/cluster-name': 'own' } },
        spec: {
          signerName: 'kubernetes.io/kube-apiserver-client',
          request: btoa(csr),
          usages: USAGES,
          ...(asked === undefined ? {} : { expirationSeconds: asked }),
        },
      };
      const made = await agentOf('own').create(certificateSigningRequests, request);
      expect(made.spec.expirationSeconds).toBe(want);
    });
  });
}
