import { afterAll, beforeAll, describe } from 'vitest';
import { type EmbeddedAgentWorld, startEmbeddedWorld } from './embedded-world.js';
import { describeReporting } from './reporting.js';

describe('reporting of works on the embedded servers', () => {
  let world: EmbeddedAgentWorld;
  beforeAll(async () => {
    world = await startEmbeddedWorld();
  });
  afterAll(() => world.stop());
  describeReporting(() => world);
});
