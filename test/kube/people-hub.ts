import { readFile } from 'node:fs/promises';
import { managedClusters } from '@outrigger/api';
import { installSamples, sampleLabels } from '@outrigger/cli';
import { type KubeObject, parseApiVersion } from '@outrigger/core';
import { parseYaml } from '@outrigger/core/yaml';
import type { PeopleWorld } from '../cli/people.js';
import { runCommand } from '../cli/world.js';
import { type KubeHub, startKubeHub } from './hub.js';

/**
 * Whether an object is one of the roles, their namespaces, or the admission policies that limit users. The policy `outrigger-hub` is
 * excluded, because it limits the manager's own account.
 */
function isAboutPeople({ kind, metadata: { name = '' } }: KubeObject): boolean {
  return kind === 'ClusterRole' || kind === 'Namespace' || (kind.startsWith('ValidatingAdmissionPolicy') && name !== 'outrigger-hub');
}

export interface PeopleHub extends PeopleWorld {
  readonly world: KubeHub;
  stop(): Promise<void>;
}

/** Starts a hub on a real API server with the roles for users, and the samples available on the clusters. */
export async function startPeopleHub({ clusters = ['cluster1'] }: { readonly clusters?: readonly string[] } = {}): Promise<PeopleHub> {
  const world = await startKubeHub();
  const { hub, runtime, kube } = world;
  const printed = parseYaml((await runCommand(['install', 'hub', '--image', 'x'], runtime)).out) as KubeObject[];
  for (const object of printed.filter(isAboutPeople)) {
    const kind = await hub.discovery.kindOf({ ...parseApiVersion(object.apiVersion), kind: object.kind });
    if (kind) await hub.apply(kind, object, { fieldManager: 'test', force: true });
  }
  for (const name of clusters)
    await hub.create(managedClusters, {
      apiVersion: 'cluster.open-cluster-management.io/v1',
      kind: 'ManagedCluster',
      metadata: { name, labels: sampleLabels(name) },
      spec: { hubAcceptsClient: true },
    });
  await installSamples(hub);
  const adminKubeconfig = await readFile(kube.kubeconfigPath, 'utf8');
  const eventually = (what: string, look: () => Promise<true | undefined>): Promise<unknown> => world.eventually(what, look);
  await eventually('metrics is available', async () => {
    const ran = await runCommand(['why', 'metrics', '--cluster', 'cluster1'], runtime, { KUBECONFIG: kube.kubeconfigPath });
    return ran.out.includes(': available') ? true : undefined;
  });
  return { world, runtime, hub, adminKubeconfig, eventually, stop: () => world.stop() };
}
