import type { Runtime } from '@outrigger/core';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport, loadConnection } from '@outrigger/kube/node';

export async function clientOf(kubeconfig: string, runtime: Runtime): Promise<Client> {
  const { connection } = await loadConnection({ kubeconfig });
  return createClient({ transport: createHttpTransport(connection, runtime, { protocol: 'http/1.1' }), runtime });
}
