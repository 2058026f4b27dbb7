import { type ServiceAccount, secrets, serviceAccounts } from '@outrigger/api';
import { createJoinToken } from '@outrigger/hub';
import { describe, expect, it } from 'vitest';
import { CLUSTER, clusterConditionIs, found, giveBootstrap, joined } from './scenario.js';
import { VirtualWorld } from './world.js';

describe('joining with a token for one cluster', () => {
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

  it('AT-41 a cluster that was away until its certificate expired joins again with its key, and no other machine does', async () => {
    const world = await VirtualWorld.start(34);
    world.startManager();
    const story = await world.story();
    const tokenFor = async (again: boolean): Promise<void> => {
      const { token } = await world.run(createJoinToken({ client: world.hub, runtime: world.person, cluster: CLUSTER, again }));
      await world.run(giveBootstrap(story, { token }));
    };
    await tokenFor(false);
    const first = await world.run(world.startAgent(CLUSTER, { certificateSeconds: 600 }));
    await world.run(clusterConditionIs(story, 'ManagedClusterConditionAvailable', 'True'));
    const own = await world.run(joined(story));
    first.crash();
    await world.simulator.advance(30 * 60_000);
    await expect(
      world.run(createJoinToken({ client: world.hub, runtime: world.person, cluster: CLUSTER })),
      'the refusal says how',
    ).rejects.toThrow('outrigger join cluster1 --again');

    const key = { namespace: own.metadata.namespace ?? '', name: own.metadata.name ?? '' };
    await world.run(story.cluster.patch(secrets, key, { type: 'merge', patch: { data: { 'tls.key': null, 'tls.crt': null } } }));
    await tokenFor(true);
    const stranger = await world.run(world.startAgent(CLUSTER, { certificateSeconds: 600 }));
    await world.simulator.advance(5 * 60_000);
    expect(stranger.agent.phase, 'a machine with another key').toBe('joining');
    stranger.crash();

    await world.run(story.cluster.patch(secrets, key, { type: 'merge', patch: { data: own.data ?? {} } }));
    await tokenFor(true);
    const back = await world.run(world.startAgent(CLUSTER, { certificateSeconds: 600 }));
    await world.run(clusterConditionIs(story, 'ManagedClusterConditionAvailable', 'True'));
    expect(back.agent.phase).toBe('joined');
    await world.run(
      story.eventually('the token’s account is gone', async () =>
        (await found(world.hub.get(serviceAccounts, { namespace: 'outrigger-join', name: CLUSTER }))) ? undefined : true,
      ),
    );
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
