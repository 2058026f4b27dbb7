import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Warning, upstreamDefinitions, warningLog, worksOnUpstreamDefinitions } from '../integration/addon/upstream-definitions.js';
import { type KubeHub, startKubeHub } from './hub.js';

describe('a real API server with upstream’s own definitions', () => {
  const warnings: Warning[] = [];
  let world: KubeHub;
  beforeAll(async () => {
    world = await startKubeHub({ definitions: upstreamDefinitions, log: warningLog(warnings) });
  });
  afterAll(() => world.stop());

  it('logs once which features are off, works for the rest, and does not repeat writes', () => worksOnUpstreamDefinitions(world, warnings));
});
