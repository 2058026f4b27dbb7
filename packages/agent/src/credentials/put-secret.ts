import { type Secret, secrets } from '@outrigger/api';
import { isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';

export interface SecretContent {
  readonly key: { readonly namespace: string; readonly name: string };
  readonly labels: Readonly<Record<string, string>>;
  /** The entries in base64. */
  readonly data: Readonly<Record<string, string>>;
}

/** Creates the Secret, or updates it to contain exactly this data. Labels and annotations of other writers are kept. */
export async function putSecret(client: Client, { key, labels, data }: SecretContent, signal: AbortSignal): Promise<Secret> {
  try {
    const fresh: Secret = { apiVersion: 'v1', kind: 'Secret', metadata: { ...key, labels }, type: 'Opaque', data };
    return await client.create<Secret>(secrets, fresh, { signal });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
  const found = await client.get<Secret>(secrets, key, { signal });
  const metadata = { ...found.metadata, labels: { ...found.metadata.labels, ...labels } };
  return client.replace<Secret>(secrets, { ...found, metadata, data }, { signal });
}
