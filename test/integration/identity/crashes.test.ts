import {
  type CertificateSigningRequest,
  appliedManifestWorks,
  certificateSigningRequests,
  clusterManagementAddOns,
  managedClusters,
  secrets,
} from '@outrigger/api';
import type { ApiRequest } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { acceptCluster } from './bootstrap-rights.js';
import {
  ADDON,
  CLUSTER,
  SIGNER,
  addOnConditionIs,
  announced,
  clusterConditionIs,
  credential,
  giveBootstrap,
  installHello,
  joined,
  rightsOf,
  secretsOf,
} from './scenario.js';
import { VirtualWorld } from './world.js';
import type { Interference } from '../../world/simulated.js';

/** The observable state at the end of a scenario. */
interface End {
  readonly requests: Readonly<Record<string, number>>;
  readonly clusters: number;
  readonly mayWrite: string | undefined;
  readonly credentials: readonly string[];
  readonly pendingKeys: number;
  readonly left: readonly string[];
}

const isWrite = ({ method }: ApiRequest): boolean => method !== 'GET';
/** With OUTRIGGER_SEEDS of 50 or more, a crash at every write is tested; otherwise, as in CI, a crash at every sixth write. */
const EVERY = Number(process.env['OUTRIGGER_SEEDS'] ?? 5) >= 50 ? 1 : 6;

describe('an agent that dies at any write, from joining to the end of an add-on', () => {
  async function story(interfere: Interference): Promise<End> {
    const world = await VirtualWorld.start(41);
    world.startManager();
    const { hub } = world;
    const told = await world.story();
    return world.run(
      (async () => {
        await giveBootstrap(told, { token: 'joiner' });
        await world.startAgent(CLUSTER, {}, CLUSTER, interfere);
        await announced(told);
        await acceptCluster(hub, CLUSTER);
        await joined(told);
        await clusterConditionIs(told, 'ManagedClusterConditionAvailable', 'True');
        await installHello(told);
        const kube = await credential(told, `${ADDON}-hub-kubeconfig`);
        await credential(told, `${ADDON}-${SIGNER.replace('/', '-')}-client-cert`);
        await addOnConditionIs(told, ADDON, 'ClusterCertificateRotated', 'True');
        await addOnConditionIs(told, ADDON, 'Available', 'True');
        const rights = await rightsOf(told.connect({ server: '', clientCertificate: { data: kube['tls.crt'] ?? '' } }));
        const credentials = await secretsOf(told, ADDON);
        const pending = await told.cluster.list(secrets, { labelSelector: 'outrigger.dev/credential=pending' });
        await hub.delete(clusterManagementAddOns, { name: ADDON });
        await told.eventually('the Secrets and works are gone', async () => {
          const left = [...(await secretsOf(told, ADDON)), ...(await told.cluster.list(appliedManifestWorks)).items];
          return left.length === 0 ? true : undefined;
        });
        return {
          requests: countByOwner((await hub.list(certificateSigningRequests)).items),
          clusters: (await hub.list(managedClusters)).items.length,
          mayWrite: rights['write its report'],
          credentials,
          pendingKeys: pending.items.length,
          left: await secretsOf(told, ADDON),
        };
      })(),
    );
  }

  it('reaches the same state, sends no request twice and leaves nothing behind', async () => {
    let writes = 0;
    const undisturbed = await story((request) => {
      if (isWrite(request)) writes++;
      return 'pass';
    });
    expect(undisturbed).toEqual({
      requests: { cluster: 1, [`${ADDON} ${SIGNER}`]: 1, [`${ADDON} kubernetes.io/kube-apiserver-client`]: 1 },
      clusters: 1,
      mayWrite: 'allowed',
      credentials: [`${ADDON}-${SIGNER.replace('/', '-')}-client-cert`, `${ADDON}-hub-kubeconfig`],
      pendingKeys: 0,
      left: [],
    });
    expect(writes).toBeGreaterThan(20);
    for (let at = 1; at <= writes; at += EVERY) {
      for (const when of ['crash before', 'crash after'] as const) {
        let seen = 0;
        const end = await story((request) => (isWrite(request) && ++seen === at ? when : 'pass'));
        expect({ at, when, ...end }).toEqual({ at, when, ...undisturbed });
      }
    }
  });
});

describe('an agent that loses a response while it joins', () => {
  it.each([1, 2, 3])('joins although the response to write %i on its Secrets is lost', async (nth) => {
    const world = await VirtualWorld.start(50 + nth);
    world.startManager();
    const told = await world.story();
    let writes = 0;
    const interfere: Interference = (request) =>
      isWrite(request) && request.path.includes('/secrets') && ++writes === nth ? 'lose response' : 'pass';
    await world.run(giveBootstrap(told, { token: 'joiner' }));
    const { agent } = await world.run(world.startAgent(CLUSTER, {}, CLUSTER, interfere));
    await world.run(announced(told));
    await world.run(acceptCluster(world.hub, CLUSTER));
    await world.run(clusterConditionIs(told, 'ManagedClusterConditionAvailable', 'True'));
    expect({ phase: agent.phase, lost: writes >= nth }).toEqual({ phase: 'joined', lost: true });
  });
});

function countByOwner(requests: readonly CertificateSigningRequest[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { metadata, spec } of requests) {
    const addOn = metadata.labels?.['open-cluster-management.io/addon-name'];
    const owner = addOn === undefined ? 'cluster' : `${addOn} ${spec.signerName}`;
    counts[owner] = (counts[owner] ?? 0) + 1;
  }
  return counts;
}
