import {
  ADDON_NAME_LABEL,
  CLUSTER_NAME_LABEL,
  type CertificateSigningRequest,
  certificateSigningRequests,
  managedClusters,
} from '@outrigger/api';
import { isApiError, shell, nameOf, collect } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { isUndecided } from '../../doctor/outages.js';
import { requireStayingClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { find } from '../../fleet/objects.js';
import { ifAllowed } from '../../fleet/readable.js';
import type { CommandContext } from '../context.js';
import { waitForClusters } from '../wait.js';
import type { WaitOptions } from '../wait-options.js';

export async function accept(
  context: CommandContext,
  request: ConnectionOptions & WaitOptions & { readonly clusters: readonly string[] },
): Promise<void> {
  await withHub(context, request, async (hub) => {
    await requireStayingClusters(hub, request.clusters);
    for (const name of request.clusters) {
      // A user may have the permission to accept a cluster but not to read it. Such a cluster is treated as not yet accepted.
      const isAccepted = (await ifAllowed(find(hub, managedClusters, { name })))?.spec.hubAcceptsClient === true;
      if (!isAccepted) await hub.patch(managedClusters, { name }, { type: 'merge', patch: { spec: { hubAcceptsClient: true } } });
      context.terminal.out(`${name} ${isAccepted ? 'was accepted before' : 'accepted'}\n`);
      for (const waiting of await waitingRequests(hub, name)) context.terminal.note(hint(waiting));
    }
    await waitForClusters(context, hub, request);
  });
}

/**
 * Returns the certificate requests of the cluster's agent that need manual approval. Requests made with a join token are omitted, because
 * the manager approves them. This command cannot verify the origin of the other requests, so accepting a cluster does not approve them.
 */
async function waitingRequests(hub: Client, cluster: string): Promise<readonly CertificateSigningRequest[]> {
  const labelSelector = `${CLUSTER_NAME_LABEL}=${cluster},!${ADDON_NAME_LABEL}`;
  try {
    const requests = await collect(hub.listAll(certificateSigningRequests, { labelSelector }));
    return requests.filter(isUndecided);
  } catch (error) {
    if (isApiError(error, 'Forbidden')) return [];
    throw error;
  }
}

function hint(request: CertificateSigningRequest): string {
  const name = nameOf(request);
  return `its certificate request ${name}, made by ${request.spec.username ?? 'an unknown user'}, waits for you: ${shell`kubectl certificate approve ${name}`}\n`;
}
