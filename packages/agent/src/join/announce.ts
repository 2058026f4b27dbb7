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
  /** The annotations of the cluster. The agent sends only annotations with the prefix that is reserved for agents. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly clientConfigs: readonly ManagedClusterClientConfig[];
}

/**
 * Creates the ManagedCluster if it does not exist, and leaves an existing one unchanged. If the hub rejects the labels, the agent creates
 * the ManagedCluster without them. An agent whose token is for a cluster that a fleet admin created has no permission to create
 * ManagedClusters; it continues, because it needs only the certificate.
 */
export async function announce(announcement: Announcement, context: EffectContext): Promise<void> {
  const hasLabels = Object.keys(announcement.labels).length > 0;
  const problem = await create(clusterOf(announcement), context);
  if (!problem || !hasLabels) return;
  context.runtime.log.warn(
    { labels: announcement.labels, problem },
    'the hub refuses the cluster with these labels; creating it without them',
  );
  await create(clusterOf({ ...announcement, labels: {} }), context);
}

function clusterOf({ clusterName, annotations, labels, clientConfigs }: Announcement): ManagedCluster {
  const own = Object.entries(annotations).filter(([name]) => name.startsWith(AGENT_ANNOTATION_PREFIX));
  return {
    apiVersion: `${CLUSTER_GROUP}/v1`,
    kind: 'ManagedCluster',
    metadata: {
      name: clusterName,
      ...(own.length > 0 ? { annotations: Object.fromEntries(own) } : {}),
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
    },
    spec: clientConfigs.length > 0 ? { managedClusterClientConfigs: clientConfigs } : {},
  };
}

/** Creates the ManagedCluster. Resolves with undefined if it exists afterwards, and otherwise with the reason why the hub rejected it. */
async function create(cluster: ManagedCluster, context: EffectContext): Promise<string | undefined> {
  try {
    await context.client(HUB).create(managedClusters, cluster, { signal: context.signal });
    return undefined;
  } catch (error) {
    if (isApiError(error, 'AlreadyExists')) return undefined;
    if (isApiError(error, 'Forbidden') || isApiError(error, 'Unauthorized')) return error.message;
    // A webhook may reject the labels with any reason, so the caller tries again without labels. If the cluster has no labels, the error
    // has another cause.
    if (isApiError(error) && error.code < 500 && error.code !== 429 && cluster.metadata.labels) return error.message;
    throw error;
  }
}
