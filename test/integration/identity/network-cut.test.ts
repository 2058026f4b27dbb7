import {
  addOnTemplates,
  appliedManifestWorks,
  certificateSigningRequests,
  configMaps,
  deployments,
  managedClusterAddOns,
  manifestWorks,
  secrets,
} from '@outrigger/api';
import { conditionStatus, findCondition } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import {
  ADDON,
  ADDON_NAMESPACE,
  CLUSTER,
  addOnConditionIs,
  createAddOn,
  declareBase,
  found,
  helloTemplate,
  installHello,
  useTemplate,
} from './scenario.js';
import { type AgentProcess, VirtualWorld } from './world.js';

const MINUTE = 60_000;
const AGENT = { name: 'hello-agent', namespace: ADDON_NAMESPACE };
const BASE = { name: 'base', namespace: 'default' };

describe('a network that is cut for ten minutes', () => {
  function cut({ faults }: AgentProcess, isCut: boolean): void {
    Object.assign(faults, isCut ? { dropBefore: 1, breakWatch: 1 } : { dropBefore: 0, breakWatch: 0 });
  }

  /** In the rows with `isAgentRestarted` or `isManagerRestarted`, that process is replaced before the connection is restored. */
  it.each([
    { name: 'the same agent and hub', isAgentRestarted: false, isManagerRestarted: false },
    { name: 'another agent process', isAgentRestarted: true, isManagerRestarted: false },
    { name: 'another manager', isAgentRestarted: false, isManagerRestarted: true },
  ])('catches up with what was asked for on both sides: $name', async ({ isAgentRestarted, isManagerRestarted }) => {
    const world = await VirtualWorld.start(51);
    const { hub, simulator } = world;
    let manager = world.startManager();
    const first = await world.run(world.join());
    const { story } = first;
    let { process } = first;
    await world.run(
      (async () => {
        await declareBase(story);
        await createAddOn(story, 'base', {});
        await installHello(story);
        await addOnConditionIs(story, ADDON, 'Available', 'True');
        await addOnConditionIs(story, ADDON, 'ClusterCertificateRotated', 'True');
        await addOnConditionIs(story, 'base', 'Available', 'True');
        await hub.create(addOnTemplates, helloTemplate('v2'));
      })(),
    );

    cut(process, true);
    await world.run(
      (async () => {
        await useTemplate(story, 'hello-v2');
        await hub.delete(managedClusterAddOns, { namespace: CLUSTER, name: 'base' });
        // A user deletes an object on the cluster, and the agent restores it without the hub.
        await story.cluster.delete(deployments, AGENT);
        await story.eventually('the Deployment is back', () => found(story.cluster.get(deployments, AGENT)));
      })(),
    );
    await simulator.advance(10 * MINUTE);
    const away = await world.run(hub.get(managedClusterAddOns, { namespace: CLUSTER, name: ADDON }));
    expect(conditionStatus(away.status?.conditions, 'Available')).toBe('Unknown');
    expect(findCondition(away.status?.conditions, 'Available')?.reason).toBe('ManagedClusterLeaseUpdateStopped');
    expect(await world.run(found(story.cluster.get(configMaps, BASE)))).toBeDefined();
    if (isAgentRestarted) {
      process.crash();
      process = await world.run(world.startAgent());
    }
    if (isManagerRestarted) {
      manager.crash();
      manager = world.startManager();
    }
    cut(process, false);

    await world.run(
      (async () => {
        await story.eventually('the new version runs', async () => {
          const deployment = await found(story.cluster.get(deployments, AGENT));
          return deployment?.spec?.template?.spec?.containers?.[0]?.image === 'example.com/hello:2' ? true : undefined;
        });
        await addOnConditionIs(story, ADDON, 'Available', 'True');
        await story.eventually('base is gone', async () =>
          (await found(hub.get(managedClusterAddOns, { namespace: CLUSTER, name: 'base' }))) ? undefined : true,
        );
      })(),
    );
    await simulator.advance(2 * MINUTE);
    const left = await world.run(
      (async () => ({
        base: await found(story.cluster.get(configMaps, BASE)),
        works: (await hub.list(manifestWorks, { namespace: CLUSTER })).items.map(({ metadata }) => metadata.name),
        records: (await story.cluster.list(appliedManifestWorks)).items.map(({ spec }) => spec?.manifestWorkName),
        requests: (await hub.list(certificateSigningRequests)).items.length,
        pendingKeys: (await story.cluster.list(secrets, { labelSelector: 'outrigger.dev/credential=pending' })).items.length,
      }))(),
    );
    expect(left).toEqual({
      base: undefined,
      works: ['addon-hello-deploy-0'],
      records: ['addon-hello-deploy-0'],
      requests: 3,
      pendingKeys: 0,
    });
    expect(process.agent.phase).toBe('joined');
    process.crash();
    manager.crash();
  });
});
