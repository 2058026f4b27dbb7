import type { ManagedCluster } from '@outrigger/api';
import { ApiError } from '@outrigger/core';
import type { EffectContext } from '@outrigger/kube';
import { Simulator, createVirtualRuntime } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { type Announcement, announce } from './announce.js';

const full: Announcement = {
  clusterName: 'c1',
  annotations: { 'agent.open-cluster-management.io/region': 'eu', other: 'x' },
  labels: { env: 'prod' },
  clientConfigs: [],
};

/** Returns the clusters that `announce` tried to create on a hub that rejects some of them. */
async function created(announcement: Announcement, refuse: (cluster: ManagedCluster) => ApiError | undefined): Promise<ManagedCluster[]> {
  const asked: ManagedCluster[] = [];
  const client = {
    create: async (_: unknown, cluster: ManagedCluster): Promise<ManagedCluster> => {
      asked.push(cluster);
      const refusal = refuse(cluster);
      if (refusal) throw refusal;
      return cluster;
    },
  };
  const runtime = createVirtualRuntime(new Simulator({ seed: 1 }), 'agent');
  await announce(announcement, { client: () => client, runtime, signal: new AbortController().signal } as unknown as EffectContext);
  return asked;
}

describe('announcing a cluster', () => {
  it('sends its labels, and annotations of agents only', async () => {
    const [cluster, ...more] = await created(full, () => undefined);
    expect(cluster?.metadata).toEqual({
      name: 'c1',
      annotations: { 'agent.open-cluster-management.io/region': 'eu' },
      labels: { env: 'prod' },
    });
    expect(more).toEqual([]);
  });

  it.each([
    { name: 'Forbidden', refusal: new ApiError('Forbidden', 'a cluster may not label itself') },
    { name: 'BadRequest', refusal: new ApiError('BadRequest', 'a cluster may not label itself') },
    { name: 'Invalid', refusal: new ApiError('Invalid', 'metadata.labels') },
  ])('creates the cluster without labels if the hub refuses them with $name', async ({ refusal }) => {
    const asked = await created(full, ({ metadata }) => (metadata.labels ? refusal : undefined));
    expect(asked.map(({ metadata }) => metadata.labels)).toEqual([{ env: 'prod' }, undefined]);
  });

  it('leaves an existing cluster unchanged, and continues if it may not create one', async () => {
    expect(await created(full, () => new ApiError('AlreadyExists', 'there'))).toHaveLength(1);
    expect(await created({ ...full, labels: {} }, () => new ApiError('Forbidden', 'no'))).toHaveLength(1);
  });

  it('fails if the hub fails', async () => {
    await expect(created(full, () => new ApiError('InternalError', 'etcd is away'))).rejects.toThrow('etcd is away');
    await expect(created({ ...full, labels: {} }, () => new ApiError('Invalid', 'name'))).rejects.toThrow('name');
  });
});
