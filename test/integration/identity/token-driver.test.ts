import {
  ADDON_NAME_LABEL,
  clusterManagementAddOns,
  configMaps,
  managedClusterAddOns,
  managedClusters,
  serviceAccounts,
} from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { ADDON, CLUSTER, addOnConditionIs, answerOf, credential, installHello, joined, rightsOf, secretsOf } from './scenario.js';
import { VirtualWorld } from './world.js';

const YEAR_SECONDS = 365 * 24 * 3_600;

type TokenRequest = KubeObject & { readonly spec: object; readonly status?: { readonly token: string } };

describe('add-ons that sign in with a token', () => {
  it('get one with the same rights, a new one when their account was replaced, and lose it when they go', async () => {
    const world = await VirtualWorld.start(41);
    world.startManager();
    await world.run(
      (async () => {
        const { story } = await world.join(CLUSTER, { driver: 'token', tokenSeconds: 3600 });
        await installHello(story);

        const first = await credential(story, `${ADDON}-hub-kubeconfig`);
        expect(Object.keys(first).sort()).toEqual(['cluster-name', 'kubeconfig', 'token']);
        const clusterAddOn = await world.hub.get(managedClusterAddOns, { namespace: CLUSTER, name: ADDON });
        expect(clusterAddOn.status?.kubeClientDriver).toBe('token');
        await addOnConditionIs(story, ADDON, 'TokenRefreshed', 'True');
        expect(await rightsOf(story.connect({ server: '', token: first['token'] ?? '' }))).toMatchObject({
          'write its report': 'allowed',
          'read its report': 'allowed',
          'delete its report': 'Forbidden',
          'read Secrets': 'Forbidden',
        });

        await world.hub.delete(serviceAccounts, { namespace: CLUSTER, name: `${ADDON}-agent` });
        const second = await story.eventually('another token', async () => {
          const { token } = await credential(story, `${ADDON}-hub-kubeconfig`);
          return token === first['token'] ? undefined : token;
        });
        await story
          .connect({ server: '', token: second })
          .get(serviceAccounts, { namespace: CLUSTER, name: 'x' })
          .catch((error: unknown) => {
            expect(error).toMatchObject({ reason: 'Forbidden' });
          });

        await world.hub.delete(clusterManagementAddOns, { name: ADDON });
        await story.eventually('the Secrets are gone', async () => ((await secretsOf(story, ADDON)).length === 0 ? true : undefined));
        const accounts = await world.hub.list(serviceAccounts, { namespace: CLUSTER, labelSelector: ADDON_NAME_LABEL });
        expect(accounts.items).toEqual([]);
      })(),
    );
  });

  it('AT-07 end when the cluster is denied, whatever lifetime its agent asked for, and come back with the acceptance', async () => {
    const world = await VirtualWorld.start(43);
    world.startManager();
    await world.run(
      (async () => {
        const { story } = await world.join(CLUSTER, { driver: 'token', tokenSeconds: 3600 });
        await installHello(story);
        const first = await credential(story, `${ADDON}-hub-kubeconfig`);
        const account = { namespace: CLUSTER, name: `${ADDON}-agent` };
        const own = await joined(story);
        const agent = story.connect({ server: '', clientCertificate: { data: atob(own.data?.['tls.crt'] ?? '') } });
        const request: TokenRequest = {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          metadata: {},
          spec: { expirationSeconds: YEAR_SECONDS },
        };
        const ask = (): Promise<TokenRequest> => agent.createSubresource(serviceAccounts, account, 'token', request);
        const long = (await ask()).status?.token ?? '';
        expect(await rightsOf(story.connect({ server: '', token: long }))).toMatchObject({ 'read its report': 'allowed' });

        const accept = (hubAcceptsClient: boolean): Promise<unknown> =>
          world.hub.patch(managedClusters, { name: CLUSTER }, { type: 'merge', patch: { spec: { hubAcceptsClient } } });
        await accept(false);
        await story.eventually('no token is valid', async () => {
          const answers = [first['token'] ?? '', long].map((token) => answerOf(story.connect({ server: '', token }).list(configMaps)));
          return (await Promise.all(answers)).every((answer) => answer === 'Unauthorized') ? true : undefined;
        });
        expect(['Forbidden', 'NotFound']).toContain(await answerOf(ask()));

        await accept(true);
        await story.eventually('another token', async () => {
          const { token } = await credential(story, `${ADDON}-hub-kubeconfig`);
          return token === first['token'] ? undefined : true;
        });
      })(),
    );
  });

  it('AT-48 are renewed in time, and not again and again, by an agent whose clock is an hour ahead', async () => {
    const world = await VirtualWorld.start(47);
    world.startManager();
    const { story, process } = await world.run(world.join(CLUSTER, { driver: 'token', tokenSeconds: 3600 }));
    process.runtime.skew(3_600_000);
    await world.run(installHello(story));
    const first = await world.run(credential(story, `${ADDON}-hub-kubeconfig`));
    const requests = (): number => process.traffic.hub.filter(({ path }) => path.endsWith('/token')).length;
    await world.simulator.advance(5_000);
    expect(requests()).toBe(1);
    await world.simulator.advance(50 * 60_000);
    expect(requests()).toBe(2);
    expect((await world.run(credential(story, `${ADDON}-hub-kubeconfig`)))['token']).not.toBe(first['token']);
  });
});
