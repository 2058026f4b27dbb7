import { managedClusters } from '@outrigger/api';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import type { CommandContext } from '../context.js';
import { requireClusters } from '../enable/run.js';

export async function accept(
  context: CommandContext,
  request: ConnectionOptions & { readonly clusters: readonly string[] },
): Promise<void> {
  await withHub(context, request, async (hub) => {
    await requireClusters(hub, request.clusters);
    for (const name of request.clusters) {
      await hub.patch(managedClusters, { name }, { type: 'merge', patch: { spec: { hubAcceptsClient: true } } });
      context.terminal.out(`${name} accepted\n`);
    }
  });
}
