import { afterAll, beforeAll, describe } from 'vitest';
import { type EmbeddedAgentWorld, startEmbeddedWorld } from './embedded-world.js';
import { describeOwnership } from './ownership.js';

describe('ownership of works on the embedded servers', () => {
  let world: EmbeddedAgentWorld;
  beforeAll(async () => {
    world = await startEmbeddedWorld();
  });
  afterAll(() => world.stop());
  describeOwnership(() => world);
});
