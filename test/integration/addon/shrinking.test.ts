import { afterEach, describe, it } from 'vitest';
import { droppedObjectsGoLast } from './shrinking-scenario.js';
import { startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

describe('an add-on of several works', () => {
  it('loses the objects its new version drops only after all works of the new version are applied', async () => {
    let isReporting = true;
    const world = await startWorld({ agent: { isUp: () => isReporting } });
    await droppedObjectsGoLast(world, (now) => {
      isReporting = now;
    });
  });
});
