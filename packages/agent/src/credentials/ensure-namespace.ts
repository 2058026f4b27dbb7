import { namespaces } from '@outrigger/api';
import { isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';

export async function ensureNamespace(client: Client, name: string, signal: AbortSignal): Promise<void> {
  try {
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { signal });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
}
