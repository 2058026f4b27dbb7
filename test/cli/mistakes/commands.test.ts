import { installSamples } from '@outrigger/cli';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { crds } from '../../integration/work/world.js';
import { type CliWorld, startCliWorld } from '../world.js';
import { COMMAND_ROWS, WITHOUT_KINDS } from './command-rows.js';
import { answersTheMistake } from './commands.js';
import { SLIP_ROWS } from './slip-rows.js';

describe('commands answer mistakes of command lines and kubeconfigs', () => {
  let world: CliWorld;
  beforeAll(async () => {
    world = await startCliWorld(1);
    await installSamples(world.fleet.hub);
    await world.eventually('hello is recorded', async () =>
      (await world.outrigger('rollout', 'status', 'hello')).code === 0 ? true : undefined,
    );
  });
  afterAll(() => world.stop());

  const hub = () => ({ runtime: world.runtime, admin: world.fleet.kubeconfig, server: world.fleet.url });
  it.each([...COMMAND_ROWS, ...SLIP_ROWS])('$title', (row) => answersTheMistake(row, hub()));

  it('a hub without the kinds', async () => {
    for (const plural of ['clustermanagementaddons', 'managedclusteraddons'])
      await world.fleet.hub.delete(crds, { name: `${plural}.addon.open-cluster-management.io` });
    await world.eventually('the kinds are gone', async () => ((await world.outrigger('get', 'addons')).code === 0 ? undefined : true));
    await answersTheMistake(WITHOUT_KINDS, hub());
  });
});
