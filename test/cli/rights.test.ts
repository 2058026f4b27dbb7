import {
  HUB_NAMESPACE,
  KIND_DEFINITIONS,
  MANAGED_CLUSTER_KINDS,
  customResourceDefinition,
  managedClusterAddOns,
  managedClusters,
  namespaces,
} from '@outrigger/api';
import { createAgent } from '@outrigger/agent';
import { ALL_CLUSTER_AGENTS_GROUP, clusterAgentGroup, clusterAgentUser } from '@outrigger/api';
import { type ControlPlane, certificateIdentity, createControlPlane, serviceAccountIdentity } from '@outrigger/control-plane';
import { type KubeObject, findCondition, isApiError, parseApiVersion } from '@outrigger/core';
import { parseYaml } from '@outrigger/core/yaml';
import { createHub } from '@outrigger/hub';
import { type Client, createClient } from '@outrigger/kube';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommand } from './world.js';

const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
const stops: (() => Promise<void>)[] = [];

async function apply(client: Client, text: string): Promise<void> {
  for (const object of parseYaml(text) as KubeObject[]) {
    const { group, version } = parseApiVersion(object.apiVersion);
    const kind = await client.discovery.kindOf({ group, version, kind: object.kind });
    if (!kind) throw new Error(`not served: ${object.apiVersion} ${object.kind}`);
    await client.apply(kind, object, { fieldManager: 'test', force: true });
  }
}

async function server(kinds: typeof KIND_DEFINITIONS, isCluster: boolean): Promise<ControlPlane> {
  const plane = await createControlPlane({
    runtime,
    storage: 'memory',
    crds: kinds.map((kind) => customResourceDefinition(kind)),
    ...(isCluster ? { simulateWorkloads: { readyAfterMs: 20 } } : {}),
  });
  await plane.start();
  stops.push(() => plane.stop());
  return plane;
}

describe('the rights `outrigger install hub` gives', () => {
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
    runtime.scope.close();
  });

  it('are enough for an add-on with an identity, and nothing of it is refused', async () => {
    const hub = await server(KIND_DEFINITIONS, false);
    const admin = createClient({ transport: hub.transport(), runtime });
    await apply(admin, (await runCommand(['install', 'hub', '--image', 'x'], runtime)).out);
    const refused: string[] = [];
    let tellRefusal: () => void = () => undefined;
    const firstRefusal = new Promise<void>((resolve) => {
      tellRefusal = resolve;
    });
    const transport = hub.transport(serviceAccountIdentity({ namespace: HUB_NAMESPACE, name: 'outrigger-hub', uid: 'u' }));
    const watched = {
      ...transport,
      send: async (...args: Parameters<typeof transport.send>) => {
        const answer = await transport.send(...args);
        if (answer.status === 403) {
          refused.push(`${args[0].method} ${args[0].path}`);
          tellRefusal();
        }
        return answer;
      },
    };
    const manager = createHub({ runtime, client: createClient({ transport: watched, runtime }), namespace: HUB_NAMESPACE });
    stops.push(() => manager.stop());
    // If a list is rejected, the caches never become complete, so the test fails with the rejected request instead of waiting.
    await Promise.race([manager.start(), firstRefusal]);
    expect(refused).toEqual([]);

    const cluster = await server(
      KIND_DEFINITIONS.filter(({ kind }) => MANAGED_CLUSTER_KINDS.includes(kind)),
      true,
    );
    await admin.create(managedClusters, {
      apiVersion: 'cluster.open-cluster-management.io/v1',
      kind: 'ManagedCluster',
      metadata: { name: 'cluster1' },
      spec: { hubAcceptsClient: true },
    });
    const identity = certificateIdentity(clusterAgentUser('cluster1', 'agent'), [clusterAgentGroup('cluster1'), ALL_CLUSTER_AGENTS_GROUP]);
    const agent = createAgent({
      runtime,
      hub: createClient({ transport: hub.transport(identity), runtime }),
      cluster: createClient({ transport: cluster.transport(), runtime }),
      clusterName: 'cluster1',
      hubServer: 'https://hub',
      agentId: 'agent',
    });
    stops.push(() => agent.stop());
    void agent.start();
    for (const file of ['hub-rights', 'v1'])
      await apply(admin, await readFile(new URL(`../../examples/hello/${file}.yaml`, import.meta.url), 'utf8'));

    await expect
      .poll(
        async () => {
          const found = await admin.get(managedClusterAddOns, { namespace: 'cluster1', name: 'hello-example' }).catch((error: unknown) => {
            if (isApiError(error, 'NotFound')) return undefined;
            throw error;
          });
          return ['Available', 'RegistrationApplied', 'Progressing']
            .map((type) => findCondition(found?.status?.conditions, type)?.reason)
            .join(' ');
        },
        { timeout: 40_000, interval: 100 },
      )
      .toBe('ProbeAvailable SetPermissionApplied Succeed');
    expect([...new Set(refused)]).toEqual([]);
    await admin.get(namespaces, { name: 'cluster1' });
  });
});
