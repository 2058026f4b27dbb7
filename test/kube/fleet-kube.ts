import type { Runtime } from '@outrigger/core';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport, loadConnection } from '@outrigger/kube/node';

export async function clientOf(kubeconfig: string, runtime: Runtime): Promise<Client> {
  const { connection } = await loadConnection({ kubeconfig });
  return createClient({ transport: createHttpTransport(connection, runtime, { protocol: 'http/1.1' }), runtime });
}

/** Returns an add-on from a template. `budget` clusters of its Placement move at a time. */
export function progressiveAddOn(name: string, { template, budget }: { readonly template: string; readonly budget: number }): string {
  return `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata: { name: ${name} }
spec:
  supportedConfigs:
  - { group: addon.open-cluster-management.io, resource: addontemplates, defaultConfig: { name: ${template} } }
  installStrategy:
    type: Placements
    placements:
    - name: all
      namespace: default
      rolloutStrategy: { type: Progressive, progressive: { maxConcurrency: ${budget} } }
`;
}
