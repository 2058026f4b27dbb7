import { installSamples } from '@outrigger/cli';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type HandsWorld, configSetKnowsItsConfig, configShowsItsLayers, diffAndRestart, getShowsEveryKind } from './hands-stories.js';
import { type CliWorld, startCliWorld } from './world.js';

describe('habits of kubectl users, on the embedded server', () => {
  let world: CliWorld;
  let hands: HandsWorld;
  beforeAll(async () => {
    world = await startCliWorld(1);
    await installSamples(world.fleet.hub);
    hands = { hub: world.fleet.hub, outrigger: world.outrigger, eventually: world.eventually };
    await world.eventually('the samples are available', async () =>
      (await world.outrigger('why', 'metrics')).out.includes('1 available') ? true : undefined,
    );
  });
  afterAll(() => world.stop());

  it('get lists every kind, narrowed and ordered', () => getShowsEveryKind(hands));
  it('diff for programs, restart, logs', () => diffAndRestart(hands));
  it('config set and get, with layers', () => configShowsItsLayers(hands));
  it('config set knows the config that it creates or changes', () =>
    configSetKnowsItsConfig({ ...hands, sleep: (ms) => world.runtime.timers.sleep(ms) }));
});
