import { afterAll, beforeAll, describe, it } from 'vitest';
import { pinsHold } from '../integration/install/pins.js';
import { type CliWorld, startCliWorld } from './world.js';

describe('pins on the local hub', () => {
  let world: CliWorld;
  beforeAll(async () => {
    world = await startCliWorld(3);
  });
  afterAll(() => world.stop());

  it('hold when the fleet moves, until they are cleared', () =>
    pinsHold({
      hub: world.fleet.hub,
      eventually: (what, look) => world.eventually(what, look),
      outrigger: (...args) => world.outrigger(...args),
      clusters: ['cluster1', 'cluster2', 'cluster3'],
    }));
});
