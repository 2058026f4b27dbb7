import { type ClusterManagementAddOn, clusterManagementAddOns } from '@outrigger/api';
import { isApiError } from '@outrigger/core';
import type { Client, JsonPatchOperation } from '@outrigger/kube';
import { CommandError, EXIT } from '../failure.js';
import { requireStayingDeclaration } from './staying.js';
import { requireAddOn } from './versions.js';

const ATTEMPTS = 5;

/**
 * Patches a declaration with the operations that `change` returns, and tries again if another client changes its spec meanwhile. Status
 * changes are ignored, because the manager writes them constantly while clusters move. Resolves with the declaration before the patch.
 */
export async function patchDeclaration(
  hub: Client,
  name: string,
  change: (managementAddOn: ClusterManagementAddOn) => readonly JsonPatchOperation[],
): Promise<ClusterManagementAddOn> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const managementAddOn = await requireAddOn(hub, name);
    requireStayingDeclaration(managementAddOn);
    try {
      await hub.patch(clusterManagementAddOns, { name }, { type: 'json', patch: [unchanged(managementAddOn), ...change(managementAddOn)] });
      return managementAddOn;
    } catch (error) {
      if (!isApiError(error, 'Invalid') || !(await isOvertaken(hub, managementAddOn))) throw error;
    }
  }
  throw new CommandError(`another program keeps changing ${name}: nothing was done; try again`, EXIT.failed);
}

function unchanged({ metadata }: ClusterManagementAddOn): JsonPatchOperation {
  return { op: 'test', path: '/metadata/generation', value: metadata.generation ?? 0 };
}

async function isOvertaken(hub: Client, { metadata }: ClusterManagementAddOn): Promise<boolean> {
  return (await requireAddOn(hub, metadata.name ?? '')).metadata.generation !== metadata.generation;
}
