import { installSamples } from '@outrigger/cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awayIsNoSuccess, haltedIsNoSuccess, unknownIsNoSuccess, waitingRemovalShows } from './honest-stories.js';
import type { WhyWorld } from './why-stories.js';
import { type CliWorld, startCliWorld } from './world.js';

describe('no state looks like success that is not', () => {
  let world: CliWorld;
  beforeAll(async () => {
    world = await startCliWorld(3);
    await installSamples(world.fleet.hub);
    expect(await world.outrigger('rollout', 'status', 'hello', '--watch', '--timeout', '60')).toMatchObject({ code: 0 });
  });
  afterAll(() => world.stop());
  const asked = (): WhyWorld => ({ hub: world.fleet.hub, outrigger: world.outrigger, eventually: world.eventually });

  it('unreachable clusters are named, and fail a strict watch', () => awayIsNoSuccess(asked()));
  it('a halted rollout exits with 5, also without --watch', () => haltedIsNoSuccess(asked()));
  it('an add-on whose Placements do not exist is not completed', () => unknownIsNoSuccess(asked()));
  it('a removal that waits shows everywhere with its command, and confirm lists the clusters', () =>
    waitingRemovalShows(asked(), ['cluster1', 'cluster2', 'cluster3']));
});
