import { manifestWorks, type ManifestWork } from '@outrigger/api';
import { createClient } from '@outrigger/kube';
import { createHttpTransport, loadConnection } from '@outrigger/kube/node';
import { ensureNamespace, runtime } from '../footprint/hub.js';
import { reportOf } from './reports.js';

/**
 * Measures the ceiling: sends as many writes as an install, of the same sizes and over as many connections, but without a manager. Two
 * fifths of the writes create objects, and the others patch a status, as in an install. Resolves with the seconds that the writes took.
 */
export async function measureCeiling(kubeconfig: string, sample: string, writes: number, connections: number): Promise<number> {
  const { connection } = await loadConnection({ kubeconfig });
  const transport = createHttpTransport(connection, runtime, { connections, env: {} });
  const client = createClient({ transport, runtime, limits: { inFlight: 64 } });
  const namespace = 'ceiling';
  await ensureNamespace(client, namespace);
  const { spec } = JSON.parse(sample) as ManifestWork;
  const creations = Math.ceil((writes * 2) / 5);
  const patchesEach = writes / creations - 1;
  let next = 0;
  let patches = 0;
  const startedAt = performance.now();
  const worker = async (): Promise<void> => {
    for (let index = next++; index < creations; index = next++) {
      const name = `bare-${index}`;
      const work = await client.create(manifestWorks, {
        apiVersion: 'work.open-cluster-management.io/v1',
        kind: 'ManifestWork',
        metadata: { name, namespace },
        spec,
      });
      for (; patches < (index + 1) * patchesEach; patches++) {
        const now = new Date(runtime.clock.now() + patches * 1_000).toISOString();
        await client.patch(
          manifestWorks,
          { name, namespace },
          { type: 'merge', patch: reportOf(work, now, true) },
          { subresource: 'status' },
        );
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - startedAt) / 1_000;
  await transport.close();
  return seconds;
}
