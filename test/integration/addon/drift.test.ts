import { afterEach, describe, it } from 'vitest';
import { handEditsAreRepaired, strangerInTheWay } from './drift-scenario.js';
import { startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

describe('manual changes of objects that the manager wrote', () => {
  it('is noticed and repaired: works, their treatment, labels and owners, and bindings', async () => {
    await handEditsAreRepaired(await startWorld());
  });

  it('an object of another owner under our name is reported, not changed, and tried again after growing delays', async () => {
    await strangerInTheWay(await startWorld());
  });
});
