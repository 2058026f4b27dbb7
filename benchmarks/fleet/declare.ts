import { addOnTemplates, clusterManagementAddOns } from '@outrigger/api';
import type { Client } from '@outrigger/kube';
import { templateOf } from '../../test/integration/addon/objects.js';

const GROUP = 'addon.open-cluster-management.io';

/** Creates a template and a declaration that installs the add-on on all clusters, or on none with `strategy: 'Manual'`. */
export async function declareAddOn(
  client: Client,
  name: string,
  { image, strategy = 'ClusterLabelSelector' }: { readonly image?: string; readonly strategy?: 'ClusterLabelSelector' | 'Manual' } = {},
): Promise<void> {
  await client.create(addOnTemplates, templateOf(name, image === undefined ? {} : { image }));
  await client.create(clusterManagementAddOns, {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'ClusterManagementAddOn',
    metadata: { name },
    spec: {
      supportedConfigs: [{ group: GROUP, resource: 'addontemplates', defaultConfig: { name } }],
      ...(strategy === 'Manual' ? {} : { installStrategy: { type: strategy, labelSelector: {} } }),
    },
  });
}
