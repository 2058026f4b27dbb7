import { withHub } from '../../fleet/connect.js';
import { deleteAll } from '../../install/apply.js';
import type { CommandContext } from '../context.js';
import { type InstallRequest, manifestsFor } from '../install/run.js';

export async function uninstall(context: CommandContext, request: InstallRequest & { readonly deleteKinds?: true }): Promise<void> {
  const { terminal } = context;
  const objects = manifestsFor(request).filter(({ kind }) => request.deleteKinds || kind !== 'CustomResourceDefinition');
  if (!request.apply) {
    for (const { kind, metadata } of objects) terminal.out(`${kind} ${metadata.name}\n`);
    return terminal.note('would be removed; --apply does it\n');
  }
  await withHub(context, request, (client) => deleteAll(client, objects, (line) => terminal.out(`${line}\n`)));
}
