import { managedClusters } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { createJoinToken } from '@outrigger/hub';
import type { Client } from '@outrigger/kube';
import { runtime, until } from '../footprint/hub.js';
import type { Swarm } from './swarm.js';

const TOKEN_SECONDS = 3_600;

/** Lets clusters with real agents join: creates a token for each, with which its agent joins. Resolves when the agents have started. */
export async function joinClusters(client: Client, swarm: Swarm, names: readonly string[]): Promise<void> {
  const joining = [];
  for (const cluster of names) {
    const { token } = await createJoinToken({ client, runtime, cluster, expiresInSeconds: TOKEN_SECONDS });
    joining.push({ name: cluster, token });
  }
  await swarm.join(joining);
}

/** Resolves when this many clusters have joined and their agents renew their leases. */
export async function untilAvailable(client: Client, count: number, limitMs: number): Promise<void> {
  const hasJoined = async (): Promise<boolean> => {
    const { items } = await client.list(managedClusters);
    const available = items.filter(
      ({ status }) => findCondition(status?.conditions, 'ManagedClusterConditionAvailable')?.status === 'True',
    );
    return available.length === count;
  };
  await until('the clusters have joined', hasJoined, limitMs);
}
