import { ADDON_NAME_LABEL, manifestWorks } from '@outrigger/api';
import { isJsonObject, parseApiVersion, shell, collect, objectOrEmpty } from '@outrigger/core';
import { notFound } from '../../failure.js';
import { requireClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { checkAddOn } from '../../fleet/versions.js';
import { clean } from '../../terminal/clean.js';
import type { CommandContext } from '../context.js';

interface Request extends ConnectionOptions {
  readonly addOn: string;
  readonly cluster: string;
}

const RESTARTABLE: Readonly<Record<string, string>> = { Deployment: 'deployment', StatefulSet: 'statefulset', DaemonSet: 'daemonset' };

/**
 * Prints `kubectl rollout restart` for each workload of the add-on on the cluster. The content of a revision is immutable, so the hub
 * cannot restart pods by changing it. The agent keeps the annotation that kubectl sets, because the manifest does not contain it.
 */
export async function restart(context: CommandContext, { addOn, cluster, ...connection }: Request): Promise<void> {
  const works = await withHub(context, connection, async (hub) => {
    await requireClusters(hub, [cluster]);
    await checkAddOn(hub, addOn);
    return collect(hub.listAll(manifestWorks, { namespace: cluster, labelSelector: `${ADDON_NAME_LABEL}=${addOn}` }));
  });
  const commands = works
    .flatMap(({ spec }) => (spec.workload?.manifests ?? []) as readonly unknown[])
    .filter(isJsonObject)
    .flatMap((manifest) => {
      const resource = RESTARTABLE[String(manifest['kind'])];
      const metadata = objectOrEmpty(manifest['metadata']);
      if (resource === undefined || parseApiVersion(String(manifest['apiVersion'])).group !== 'apps') return [];
      return [shell`kubectl rollout restart ${`${resource}/${String(metadata['name'])}`} -n ${String(metadata['namespace'] ?? 'default')}`];
    });
  if (commands.length === 0)
    throw notFound(`${addOn} has no workloads on ${cluster}: \`${shell`outrigger why ${addOn} --cluster ${cluster}`}\``);
  context.terminal.note(`run with a kubeconfig of ${clean(cluster)}; the agent keeps the restart:\n`);
  context.terminal.out(`${commands.map(clean).join('\n')}\n`);
}
