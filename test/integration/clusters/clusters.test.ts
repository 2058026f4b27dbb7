import { leases, managedClusterAddOns, managedClusterSets, managedClusters, manifestWorks } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { FAULTY_NETWORK } from '../../world/simulated.js';
import { absentAsUndefined, onVirtualHub, seeds } from '../placement/world.js';
import { accepted, conditionOf, declaredCluster, heldWork } from './agent.js';
import { addOn, deletionStory, denialStory, forcedStory, mayRenew, namespaceStory, refusal } from './life.js';

describe('clusters on the embedded server, under a virtual clock', () => {
  it('an accepted agent may do its work, and nothing in the place of another', async () => {
    await onVirtualHub({}, async (world) => {
      const agent = await accepted(world, 'c1');
      await accepted(world, 'c10');
      expect(await refusal(agent.hub.get(managedClusters, { name: 'c1' }))).toBe('allowed');
      expect(await refusal(agent.hub.list(manifestWorks, { namespace: 'c1' }))).toBe('allowed');
      expect(await refusal(agent.hub.get(managedClusters, { name: 'c10' }))).toBe('Forbidden');
      expect(await refusal(agent.hub.list(manifestWorks, { namespace: 'c10' }))).toBe('Forbidden');
      expect(await refusal(agent.hub.list(leases))).toBe('Forbidden');
      expect(await refusal(agent.hub.create(manifestWorks, heldWork('c1', 'own')))).toBe('Forbidden');
      expect(await mayRenew(world, 'c1')).toBe(true);
    });
  });

  it('a cluster is Unknown five renewals after the last one of its agent, and no Placement selects it until the agent is back', async () => {
    await onVirtualHub({}, async (world) => {
      const agent = await accepted(world, 'c1');
      const available = async (): Promise<string | undefined> =>
        (await world.hub.get(managedClusters, { name: 'c1' })).status?.conditions?.find(
          ({ type }) => type === 'ManagedClusterConditionAvailable',
        )?.status;
      const taints = async (): Promise<readonly string[]> =>
        ((await world.hub.get(managedClusters, { name: 'c1' })).spec.taints ?? []).map(({ key }) => key);
      await world.eventually('no taint', async () => ((await taints()).length === 0 ? true : undefined));
      await agent.renew();
      await world.pass(298_000);
      expect(await available()).toBe('True');
      await world.pass(2_100);
      expect(await conditionOf(world, 'c1', 'ManagedClusterConditionAvailable', 'Unknown')).toBe(
        'ManagedClusterLeaseUpdateStopped: Registration agent stopped updating its lease.',
      );
      await world.eventually('the taint', async () =>
        (await taints()).includes('cluster.open-cluster-management.io/unreachable') ? true : undefined,
      );
      await agent.renew();
      await agent.report();
      await world.eventually('no taint again', async () => ((await taints()).length === 0 ? true : undefined));
    });
  });

  it('a Lease without renewTime is an expired one, not the end of the manager', async () => {
    await onVirtualHub({}, async (world) => {
      const agent = await accepted(world, 'c1');
      await agent.hub.replace(leases, { ...(await agent.hub.get(leases, { namespace: 'c1', name: 'managed-cluster-lease' })), spec: {} });
      await conditionOf(world, 'c1', 'ManagedClusterConditionAvailable', 'Unknown');
      await accepted(world, 'c2');
    });
  });

  it('a clock that is far off is reported, and the report ends when the clock is right', async () => {
    await onVirtualHub({}, async (world) => {
      const agent = await accepted(world, 'c1');
      await conditionOf(world, 'c1', 'ManagedClusterConditionClockSynced', 'True');
      await agent.renew(3_600_000);
      await conditionOf(world, 'c1', 'ManagedClusterConditionClockSynced', 'False');
      await agent.renew();
      await conditionOf(world, 'c1', 'ManagedClusterConditionClockSynced', 'True');
    });
  });

  it('AT-07 a denied cluster may only see that it is; its certificate is not renewed', () => onVirtualHub({}, denialStory));

  it('labels of add-ons follow them', async () => {
    await onVirtualHub({}, async (world) => {
      await accepted(world, 'c1');
      await world.hub.create(managedClusterAddOns, addOn('c1', 'hello'));
      const label = async (): Promise<string | undefined> =>
        (await world.hub.get(managedClusters, { name: 'c1' })).metadata.labels?.['feature.open-cluster-management.io/addon-hello'];
      await world.eventually('unreachable', async () => ((await label()) === 'unreachable' ? true : undefined));
      await world.hub.delete(managedClusterAddOns, { namespace: 'c1', name: 'hello' });
      await world.eventually('no label', async () => ((await label()) === undefined ? true : undefined));
    });
  });

  it('the two built-in sets exist, and are created again after deletion', async () => {
    await onVirtualHub({}, async (world) => {
      const find = (name: string) => absentAsUndefined(world.hub.get(managedClusterSets, { name }));
      for (const name of ['default', 'global']) await world.eventually(name, () => find(name));
      await world.hub.delete(managedClusterSets, { name: 'global' });
      await world.eventually('global again', () => find('global'));
    });
  });

  it.each([
    { name: 'in calm', options: {} },
    ...seeds(2).map((seed) => ({
      name: `with a faulty network and crashes, seed ${seed}`,
      options: { seed, faults: FAULTY_NETWORK, crashes: 4 },
    })),
  ])('a deleted cluster leaves in order, with its agent at work to the end ($name)', ({ options }) => onVirtualHub(options, deletionStory));

  it('a cluster whose namespace is deleted gets a new one, with its agent at work to the end', () => onVirtualHub({}, namespaceStory));
  it('a cluster that never comes back is removed by force, and a record lists the objects left on it', () => onVirtualHub({}, forcedStory));

  it('writes nothing at rest, also after a restart', async () => {
    await onVirtualHub({}, async (world) => {
      const agent = await accepted(world, 'c1');
      await world.hub.create(managedClusters, declaredCluster('undecided', false));
      await world.pass(20_000);
      await agent.renew();
      await world.pass(5_000);
      const { revision } = world.server.store;
      world.restartManager();
      await world.pass(60_000);
      expect(world.server.store.revision).toBe(revision);
    });
  });

  it('clusters that join are accepted automatically if that is configured', async () => {
    await onVirtualHub({ manager: { clusters: { autoAccept: true } } }, async (world) => {
      await world.hub.create(managedClusters, declaredCluster('c1', false));
      await conditionOf(world, 'c1', 'HubAcceptedManagedCluster', 'True');
    });
  });
});
