import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJoiningAgent } from '@outrigger/agent';
import { KIND_DEFINITIONS, clusterManagementAddOns, customResourceDefinition, serviceAccounts } from '@outrigger/api';
import type { Kind } from '@outrigger/core';
import { createCertificateAuthority, readCertificate } from '@outrigger/core/x509';
import { createHub, createJoinToken } from '@outrigger/hub';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport, createLogger, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealKube, startKube } from '../harness/index.js';
import {
  ADDON,
  CLUSTER,
  type IdentityWorld,
  SIGNER,
  addOnConditionIs,
  clusterConditionIs,
  createAddOn,
  credential,
  found,
  giveBootstrap,
  installHello,
  joined,
  renewLease,
  rightsOf,
  sayLeaseMode,
  secretsOf,
} from '../integration/identity/scenario.js';

const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
const CRD_KIND: Kind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
const DAY_MS = 24 * 3_600_000;

describe('identity and health on two real API servers', () => {
  const stops: (() => Promise<void>)[] = [];
  let world: IdentityWorld;

  beforeAll(async () => {
    const [hubKube, clusterKube] = await Promise.all([startKube({ controllerManager: true }), startKube({ controllerManager: true })]);
    stops.push(
      () => hubKube.stop(),
      () => clusterKube.stop(),
    );
    const [hub, cluster] = await Promise.all([clientOf(hubKube), clientOf(clusterKube)]);
    await Promise.all([installKinds(hub), installKinds(cluster)]);
    const manager = createHub({ runtime, client: hub, namespace: 'default' });
    await manager.start();
    stops.push(() => manager.stop());
    world = {
      hub,
      cluster,
      hubServer: hubKube.url,
      hubCa: hubKube.caPem,
      now: () => runtime.clock.now(),
      eventually,
      connect: (config) => {
        const transport = createHttpTransport(config, runtime);
        stops.push(() => transport.close());
        return createClient({ transport, runtime });
      },
    };
    const agent = createJoiningAgent({
      runtime,
      cluster,
      clusterName: CLUSTER,
      agentName: 'agent',
      connectHub: (config) => createHttpTransport(config, runtime, { protocol: 'h2' }),
    });
    agent.start();
    stops.push(() => agent.stop());
  }, 180_000);
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  it('AT-09 joins with a token that dies with it, and reports how the cluster is', async () => {
    const { token } = await createJoinToken({ client: world.hub, runtime, cluster: CLUSTER });
    await giveBootstrap(world, { token });
    const own = await joined(world);
    expect(Object.keys(own.data ?? {}).sort()).toEqual(['agent-name', 'cluster-name', 'kubeconfig', 'tls.crt', 'tls.key']);
    await clusterConditionIs(world, 'ManagedClusterJoined', 'True');
    await clusterConditionIs(world, 'ManagedClusterConditionAvailable', 'True');
    await eventually('the token’s account is gone', async () =>
      (await found(world.hub.get(serviceAccounts, { namespace: 'outrigger-join', name: CLUSTER }))) ? undefined : true,
    );
  });

  it('gives an add-on a kubeconfig that does what its template allows, and a certificate of its own signer', async () => {
    const now = runtime.clock.now();
    const validity = { notBefore: now - 60_000, notAfter: now + 10 * DAY_MS, serial: runtime.random.bytes(16) };
    await installHello(world, await createCertificateAuthority(runtime.keys, { commonName: 'hello-ca', ...validity }));
    const client = await mounted(await credential(world, `${ADDON}-hub-kubeconfig`));
    expect(await rightsOf(client)).toEqual({
      'write its report': 'allowed',
      'read its report': 'allowed',
      'delete its report': 'Forbidden',
      "read another cluster's report": 'Forbidden',
      'read Secrets': 'Forbidden',
      'read add-ons': 'Forbidden',
    });
    const signed = await credential(world, `${ADDON}-${SIGNER.replace('/', '-')}-client-cert`);
    const certificate = await readCertificate(runtime.keys, signed['tls.crt'] ?? '');
    expect(certificate).toMatchObject({
      subject: { commonName: 'hello', organizations: ['g1'], organizationalUnits: ['u1'] },
      issuer: { commonName: 'hello-ca' },
      usages: ['client auth'],
      isCA: false,
    });
    await addOnConditionIs(world, ADDON, 'ClusterCertificateRotated', 'True');
  });

  it('follows the lease of an add-on', async () => {
    await createAddOn(world, 'leased', {});
    await sayLeaseMode(world, 'leased');
    await addOnConditionIs(world, 'leased', 'Available', 'Unknown');
    await renewLease(world, 'leased');
    await addOnConditionIs(world, 'leased', 'Available', 'True');
  });

  it('leaves no credential behind when the add-on goes', async () => {
    await world.hub.delete(clusterManagementAddOns, { name: ADDON });
    await eventually('the Secrets are gone', async () => ((await secretsOf(world, ADDON)).length === 0 ? true : undefined));
  });

  /** What an add-on's pod sees: the Secret as files in a folder. */
  async function mounted(secret: Readonly<Record<string, string>>): Promise<Client> {
    const folder = await mkdtemp(join(tmpdir(), 'outrigger-secret-'));
    stops.push(() => rm(folder, { recursive: true, force: true }));
    for (const [name, content] of Object.entries(secret)) await writeFile(join(folder, name), content, { mode: 0o600 });
    const { connection } = await loadConnection({ kubeconfig: join(folder, 'kubeconfig') });
    return world.connect(connection);
  }

  async function clientOf(kube: RealKube): Promise<Client> {
    const { connection } = await loadConnection({ kubeconfig: kube.kubeconfigPath });
    const transport = createHttpTransport(connection, runtime, { protocol: 'http/1.1' });
    stops.push(() => transport.close());
    return createClient({ transport, runtime });
  }
});

async function installKinds(client: Client): Promise<void> {
  for (const definition of KIND_DEFINITIONS) await client.create(CRD_KIND, customResourceDefinition(definition));
  await eventually('the kinds are served', async () => {
    client.discovery.invalidate();
    const served = await Promise.all(
      KIND_DEFINITIONS.map(({ group, kind, versions }) => client.discovery.serves({ group, kind, version: versions[0]?.version ?? '' })),
    );
    return served.every(Boolean) ? true : undefined;
  });
}

async function eventually<T>(what: string, condition: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < 400; attempt++) {
    const result = await condition();
    if (result !== undefined) return result;
    await runtime.timers.sleep(100);
  }
  throw new Error(`waited in vain for: ${what}`);
}
