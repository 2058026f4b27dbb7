import { type ServiceAccount, serviceAccounts } from '@outrigger/api';
import { createJoinToken } from '@outrigger/hub';
import { describe, expect, it } from 'vitest';
import { CLUSTER, clusterConditionIs, found, giveBootstrap, joined } from './scenario.js';
import { VirtualWorld, PATIENCE_MS } from './world.js';

describe('joining with a token for one cluster', { timeout: PATIENCE_MS }, () => {
  it('AT-09 lets the cluster in without a person, and the token dies with it', async () => {
    const world = await VirtualWorld.start(31);
    world.startManager();
    const story = await world.story();
    const { token } = await world.run(createJoinToken({ client: world.hub, runtime: world.person, cluster: CLUSTER }));
    await world.run(giveBootstrap(story, { token }));
    const process = await world.run(world.startAgent());
    await world.run(joined(story));
    await world.run(clusterConditionIs(story, 'ManagedClusterConditionAvailable', 'True'));
    expect(process.agent.phase).toBe('joined');
    await world.run(
      story.eventually('the token’s account is gone', async () => {
        const account: ServiceAccount | undefined = await found(
          world.hub.get(serviceAccounts, { namespace: 'outrigger-join', name: CLUSTER }),
        );
        return account ? undefined : true;
      }),
    );
  });

  it('AT-09 an agent that restarts after its request waits for the response to that request', async () => {
    const world = await VirtualWorld.start(32);
    const story = await world.story();
    const { token } = await world.run(createJoinToken({ client: world.hub, runtime: world.person, cluster: CLUSTER }));
    await world.run(giveBootstrap(story, { token }));
    const first = await world.run(world.startAgent());
    await world.simulator.advance(5_000);
    first.crash();
    world.startManager();
    await world.simulator.advance(2_000);
    await world.run(world.startAgent());
    await world.run(joined(story));
  });

  it('AT-09 a token for another cluster is worth nothing', async () => {
    const world = await VirtualWorld.start(33);
    world.startManager();
    const story = await world.story();
    const { token } = await world.run(createJoinToken({ client: world.hub, runtime: world.person, cluster: 'other' }));
    await world.run(createJoinToken({ client: world.hub, runtime: world.person, cluster: CLUSTER }));
    await world.run(giveBootstrap(story, { token }));
    const process = await world.run(world.startAgent());
    await world.simulator.advance(3 * 60_000);
    expect(process.agent.phase).toBe('joining');
  });
});
