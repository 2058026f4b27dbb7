import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createControlPlane, kubeconfig } from '@outrigger/control-plane';
import { parseYaml } from '@outrigger/core/yaml';
import { type Client, createClient } from '@outrigger/kube';
import { type CliWorld, startCliWorld } from '../cli/world.js';
import { findKubectl } from '../harness/index.js';
import { Kubectl } from '../kubectl/kubectl.js';
import { GoProcess, goProgram } from './go-program.js';

/** A local hub, an empty cluster, and a stand-in for upstream's agent between them. */
export interface InteropWorld {
  readonly hub: CliWorld;
  readonly cluster: Client;
  readonly kubectl: Kubectl;
  /** Starts the stand-in agent for a cluster. */
  join(cluster: string, addOnVersion: string): GoProcess;
  stop(): Promise<void>;
}

/** The minimum permissions of a bootstrap account, as upstream documents them. */
const BOOTSTRAP = {
  account: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'bootstrap', namespace: 'default' } },
  role: {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'bootstrap' },
    rules: [
      { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: ['create', 'get', 'list', 'watch'] },
      { apiGroups: ['cluster.open-cluster-management.io'], resources: ['managedclusters'], verbs: ['get', 'create', 'update'] },
    ],
  },
  binding: {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'bootstrap' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'bootstrap' },
    subjects: [{ kind: 'ServiceAccount', name: 'bootstrap', namespace: 'default' }],
  },
};

export async function startInteropWorld(): Promise<InteropWorld> {
  const program = await goProgram('klusterlet');
  const hub = await startCliWorld(0);
  const kubectl = await Kubectl.create(await findKubectl(), hub.kubeconfig);
  const server = await createControlPlane({ runtime: hub.runtime, storage: 'memory' });
  await server.start();
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-interop-'));
  const spoke = join(folder, 'spoke.kubeconfig');
  await writeFile(spoke, (await server.serve()).adminKubeconfig);
  const bootstrap = join(folder, 'bootstrap.kubeconfig');
  await writeFile(bootstrap, await bootstrapKubeconfig(kubectl, hub.fleet.kubeconfig));
  const agents: GoProcess[] = [];
  return {
    hub,
    cluster: createClient({ transport: server.transport(), runtime: hub.runtime }),
    kubectl,
    join(cluster, addOnVersion) {
      const agent = new GoProcess(program, ['-cluster', cluster, '-bootstrap', bootstrap, '-spoke', spoke, '-addon-version', addOnVersion]);
      agents.push(agent);
      return agent;
    },
    async stop() {
      for (const agent of agents) await agent.stop();
      await kubectl.close();
      await server.stop();
      await hub.stop();
      await rm(folder, { recursive: true });
    },
  };
}

async function bootstrapKubeconfig(kubectl: Kubectl, admin: string): Promise<string> {
  for (const object of Object.values(BOOTSTRAP)) await kubectl.run(`create -f ${await kubectl.file(object)}`);
  const token = (await kubectl.run('create token bootstrap -n default')).trim();
  const [config] = parseYaml(admin) as readonly { readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[] }[];
  const [entry] = config?.clusters ?? [];
  const authority = Buffer.from(entry?.cluster['certificate-authority-data'] ?? '', 'base64').toString();
  return kubeconfig({ server: entry?.cluster['server'] ?? '', authority, user: { name: 'bootstrap', token }, name: 'hub' });
}
