import { afterEach, describe, it } from 'vitest';
import { type Warning, upstreamDefinitions, warningLog, worksOnUpstreamDefinitions } from './upstream-definitions.js';
import { startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

describe('a hub with upstream’s own definitions', () => {
  it('logs once which features are off, works for the rest, and does not repeat writes', async () => {
    const warnings: Warning[] = [];
    const world = await startWorld({ controlPlane: { crds: upstreamDefinitions() }, log: warningLog(warnings) });
    await worksOnUpstreamDefinitions(world, warnings);
  });
});
