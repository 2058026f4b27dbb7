import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TLSSocket, connect } from 'node:tls';
import { BOOTSTRAP_SECRET_NAME, HUB_SECRET_NAME, createJoiningAgent } from '@outrigger/agent';
import { clusterAgentUser, clusterRoleBindings, namespaces, secrets } from '@outrigger/api';
import { createJoinToken } from '@outrigger/hub';
import { createHttpTransport } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProxy } from '../../../packages/kube/src/adapters/http/fixtures.js';
import { INTERMEDIATE } from '../../../packages/kube/src/adapters/http/fixtures-intermediate.js';
import { runCommand } from '../../cli/world.js';
import { clusterConditionIs, found } from './scenario.js';
import { type ServerTypes, type TwoServers, startTwoServers } from './two-servers.js';

interface Row {
  readonly cluster: string;
  readonly name: string;
  /** Returns the certificates for the kubeconfig, given those of the hub's API server. */
  readonly trusted: (server: { readonly own: string; readonly authority: string }) => string;
  /** Whether connections go through an https proxy whose certificate an intermediate CA signed. */
  readonly hasProxy: boolean;
}

const ROWS: readonly Row[] = [
  { cluster: 'pinned', name: "the server's own certificate", trusted: ({ own }) => own, hasProxy: false },
  {
    cluster: 'proxied',
    name: 'the authority of the server and an intermediate authority of an https proxy',
    trusted: ({ authority }) => `${authority}${INTERMEDIATE.authority}`,
    hasProxy: true,
  },
  {
    cluster: 'both-pinned',
    name: 'the own certificates of the server and of an https proxy',
    trusted: ({ own }) => `${own}${INTERMEDIATE.server.cert}`,
    hasProxy: true,
  },
];

/**
 * Defines the tests of kubeconfigs that Go clients accept: the CA certificate in them is not the root of the chain, and clients also use it
 * to verify a proxy.
 */
export function describeTrust(types: ServerTypes): void {
  describe(`kubeconfigs as Go clients read them, hub ${types.hub}`, { timeout: 120_000 }, () => {
    let world: TwoServers;
    let folder: string;
    const stops: (() => Promise<unknown>)[] = [];
    beforeAll(async () => {
      world = await startTwoServers(types);
      folder = await mkdtemp(join(tmpdir(), 'outrigger-trust-'));
      await world.startManager();
    }, 240_000);
    afterAll(async () => {
      for (const stop of stops.reverse()) await stop();
      await world?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    it.each(ROWS)('an agent joins, and commands work, if certificate-authority is $name', async ({ cluster, trusted, hasProxy }) => {
      const tunnels: string[] = [];
      const proxy = hasProxy ? await startProxy(tunnels, { identity: INTERMEDIATE.server }) : undefined;
      if (proxy) stops.push(() => proxy.stop());
      const kubeconfig = (user: object): string =>
        JSON.stringify({
          clusters: [
            {
              name: 'hub',
              cluster: {
                server: world.hubServer,
                'certificate-authority-data': btoa(trusted({ own, authority: world.hubCa })),
                ...(proxy ? { 'proxy-url': proxy.url } : {}),
              },
            },
          ],
          users: [{ name: 'user', user }],
          contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'user' } }],
          'current-context': 'hub',
        });
      const own = await ownCertificate(world.hubServer);

      const { token } = await createJoinToken({ client: world.hub, runtime: world.runtime, cluster });
      await world.cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: cluster } });
      await world.cluster.create(secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: BOOTSTRAP_SECRET_NAME, namespace: cluster },
        data: { kubeconfig: btoa(kubeconfig({ token })) },
      });
      const agent = createJoiningAgent({
        runtime: world.runtime,
        cluster: world.cluster,
        clusterName: cluster,
        agentName: 'agent',
        namespace: cluster,
        connectHub: (config) => createHttpTransport(config, world.runtime, { protocol: 'h2', env: {} }),
      });
      agent.start();
      stops.push(() => agent.stop());
      await clusterConditionIs(world, 'ManagedClusterJoined', 'True', cluster);
      await clusterConditionIs(world, 'ManagedClusterConditionAvailable', 'True', cluster);

      // The credential that the agent stored must be sufficient for a connection, because the next agent and the add-ons use only this
      // credential.
      const data = (await found(world.cluster.get(secrets, { namespace: cluster, name: HUB_SECRET_NAME })))?.data ?? {};
      for (const [file, content] of Object.entries(data)) await writeFile(join(folder, file), atob(content), { mode: 0o600 });
      await world.hub.create(clusterRoleBindings, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: cluster },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: clusterAgentUser(cluster, 'agent') }],
      });
      await world.eventually('the command shows the cluster', async () => {
        const stored = await runCommand(['get', 'clusters', cluster], world.runtime, { KUBECONFIG: join(folder, 'kubeconfig') });
        expect(stored).toMatchObject({ code: 0, out: expect.stringContaining(cluster) as string, note: '' });
        return true;
      });
      expect(await readFile(join(folder, 'kubeconfig'), 'utf8')).toContain(proxy?.url ?? 'certificate-authority-data');
      const host = new URL(world.hubServer).host;
      expect(new Set(tunnels)).toEqual(new Set(hasProxy ? [host] : []));
    });
  });
}

/** Returns the certificate that a server presents, in PEM. */
async function ownCertificate(server: string): Promise<string> {
  const { hostname, port } = new URL(server);
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const opened: TLSSocket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => resolve(opened));
    opened.on('error', reject);
  });
  const pem = socket.getPeerX509Certificate()?.toString() ?? '';
  socket.destroy();
  return pem;
}
