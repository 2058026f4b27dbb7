import { afterAll, beforeAll, describe } from 'vitest';
import { type EmbeddedAgentWorld, startEmbeddedWorld } from './embedded-world.js';
import { describeStrategies } from './strategies.js';

describe('update strategies of works on the embedded servers', () => {
  let world: EmbeddedAgentWorld;
  beforeAll(async () => {
    world = await startEmbeddedWorld();
  });
  afterAll(() => world.stop());
  describeStrategies(() => world);
});
