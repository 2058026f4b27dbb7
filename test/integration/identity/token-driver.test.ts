import { ADDON_NAME_LABEL, clusterManagementAddOns, managedClusterAddOns, serviceAccounts } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { ADDON, CLUSTER, addOnConditionIs, credential, installHello, rightsOf, secretsOf } from './scenario.js';
import { VirtualWorld, PATIENCE_MS } from './world.js';

describe('add-ons that sign in with a token', { timeout: PATIENCE_MS }, () => {
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
});
