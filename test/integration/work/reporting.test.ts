import { afterAll, beforeAll, describe } from 'vitest';
import { type EmbeddedWorld, startEmbeddedWorld } from './embedded-world.js';
import { describeReporting } from './reporting.js';

describe('reporting of works on the embedded servers', () => {
  let world: EmbeddedWorld;
  beforeAll(async () => {
    world = await startEmbeddedWorld();
  });
  afterAll(() => world.stop());
  describeReporting(() => world);
});
