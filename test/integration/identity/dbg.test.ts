import { it } from 'vitest';
import { VirtualWorld, prepareVault } from '/work/main/test/integration/identity/world.js';
import { giveBootstrap, announced, joined } from '/work/main/test/integration/identity/scenario.js';
import { acceptCluster } from '/work/main/test/integration/identity/bootstrap-rights.js';
it('x', async () => {
  const world = await VirtualWorld.start(1, await prepareVault());
  world.startManager();
  const story = await world.story();
  await world.run(giveBootstrap(story, { token: 'joiner' }));
  await world.run(world.startAgent());
  await world.run(announced(story));
  await world.run(acceptCluster(world.hub, 'cluster1'));
  await world.simulator.advance(20000);
  console.log(world.simulator.log.filter((l) => /manager/.test(l)).slice(0,60).join('\n'));
}, 60000);
