import { afterAll, beforeAll, describe } from 'vitest';
import { type EmbeddedWorld, startEmbeddedWorld } from './embedded-world.js';
import { describeStrategies } from './strategies.js';

describe('update strategies of works on the embedded servers', () => {
  let world: EmbeddedWorld;
  beforeAll(async () => {
    world = await startEmbeddedWorld();
  });
  afterAll(() => world.stop());
  describeStrategies(() => world);
});
