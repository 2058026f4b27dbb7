import { isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { CommandError, EXIT } from '../../failure.js';
import { find } from '../../fleet/objects.js';
import { VERSION } from '../../version.js';
import { CUSTOM_RESOURCE_DEFINITIONS, type Definition } from './definition.js';
import { INSTALL_MANAGER, RESTORE_MANAGER, planDefinition, planRestoration } from './plan.js';

const ATTEMPTS = 5;

/**
 * Merges our CRD into the installed CRD without losing any part of the installed CRD, and records the installed CRD. Resolves with notes
 * for the administrator. If another client writes the CRD meanwhile, the function reads the CRD again and retries.
 */
export async function applyDefinition(client: Client, ours: Definition): Promise<readonly string[]> {
  return again(ours, async () => {
    const installed = await find(client, CUSTOM_RESOURCE_DEFINITIONS, { name: ours.metadata.name ?? '' });
    const apply = async (withRules: boolean): Promise<readonly string[]> => {
      const { object, notes } = planDefinition(ours, installed, VERSION, { withRules });
      await client.apply(CUSTOM_RESOURCE_DEFINITIONS, object, { fieldManager: INSTALL_MANAGER, force: true });
      return notes;
    };
    try {
      return await apply(true);
    } catch (error) {
      // If the installed CRD has lists without maxItems, the CEL rules of our fields may exceed the API server's cost limit. The CRD is
      // then applied without these rules.
      if (!installed || !isApiError(error, 'Invalid') || !/x-kubernetes-validations/.test(error.message)) throw error;
      const note = `${ours.spec.names.kind}: our fields have no CEL rules here, because the installed definition leaves lists unbounded; the manager checks them`;
      return [...(await apply(false)), note];
    }
  });
}

/** Restores the CRD to its state before the install. Resolves with false if no CRD from another program existed then. */
export async function restoreDefinition(client: Client, ours: Definition): Promise<boolean> {
  return again(ours, async () => {
    const installed = await find(client, CUSTOM_RESOURCE_DEFINITIONS, { name: ours.metadata.name ?? '' });
    const restored = installed && planRestoration(ours, installed);
    if (restored) await client.replace(CUSTOM_RESOURCE_DEFINITIONS, restored, { fieldManager: RESTORE_MANAGER });
    return restored !== undefined;
  });
}

async function again<T>({ metadata }: Definition, attempt: () => Promise<T>): Promise<T> {
  for (let i = 0; i < ATTEMPTS; i++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isApiError(error, 'Conflict')) throw error;
    }
  }
  throw new CommandError(`CustomResourceDefinition ${metadata.name} changes all the time: nothing was done, try again`, EXIT.failed);
}
