import {
  AGENT_ANNOTATION_PREFIX,
  CLUSTER_GROUP,
  type ManagedCluster,
  type ManagedClusterClientConfig,
  managedClusters,
} from '@outrigger/api';
import { isApiError } from '@outrigger/core';
import type { EffectContext } from '@outrigger/kube';
import { HUB } from '../resources/apis.js';

export interface Announcement {
  readonly clusterName: string;
  /** Only those with the agents' prefix are sent. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly clientConfigs: readonly ManagedClusterClientConfig[];
}

/**
 * Creates the ManagedCluster where there is none, and leaves one that is there alone. Who may not look or create (a token for a cluster somebody
 * else announced) goes on without: what counts is the certificate.
 */
export async function announce({ clusterName, annotations, clientConfigs }: Announcement, context: EffectContext): Promise<void> {
  const own = Object.entries(annotations).filter(([name]) => name.startsWith(AGENT_ANNOTATION_PREFIX));
  const cluster: ManagedCluster = {
    apiVersion: `${CLUSTER_GROUP}/v1`,
    kind: 'ManagedCluster',
    metadata: { name: clusterName, ...(own.length > 0 ? { annotations: Object.fromEntries(own) } : {}) },
    spec: clientConfigs.length > 0 ? { managedClusterClientConfigs: clientConfigs } : {},
  };
  try {
    await context.client(HUB).create(managedClusters, cluster, { signal: context.signal });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists') && !isApiError(error, 'Forbidden') && !isApiError(error, 'Unauthorized')) throw error;
  }
}
