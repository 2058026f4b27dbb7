import { afterAll, beforeAll, describe } from 'vitest';
import { type EmbeddedAgentWorld, startEmbeddedWorld } from './embedded-world.js';
import { describeRollback } from './rollback.js';

describe('versions of a work on the embedded servers', () => {
  let world: EmbeddedAgentWorld;
  beforeAll(async () => {
    world = await startEmbeddedWorld();
  });
  afterAll(() => world.stop());
  describeRollback(() => world);
});
