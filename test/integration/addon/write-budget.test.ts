import { afterEach, describe, it } from 'vitest';
import { installAndEdit, installByStrategy, settledFleet } from './budget-scenario.js';
import { startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

describe('the write budget', () => {
  it('an installation is 5 writes, an edit of an overriding config is 3, an edit through a rollout is 4', async () => {
    await installAndEdit(await startWorld({ agent: { upAfterMs: 500 } }));
  });

  it('an installation on a cluster that is admitted at once is 5 writes under every rollout strategy', async () => {
    await installByStrategy(await startWorld({ hasClusters: true, hasPlacement: true }));
  });

  it('a settled fleet of 1,000 add-ons is 0 writes, and so is a restart over it', async () => {
    await settledFleet(await startWorld(), { clusters: 100, addOns: 10 });
  });
});
