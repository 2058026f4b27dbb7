import { afterEach, describe, it } from 'vitest';
import { REMOVALS, hooksOutliveTheirTemplate } from './removal-scenario.js';
import { startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

describe('an add-on whose files are deleted together', () => {
  it.each(REMOVALS)(
    '$order, $propagation, manager down: $isManagerDown: its pre-delete hooks run, and nothing is left',
    async (removal) => {
      await hooksOutliveTheirTemplate(await startWorld(), removal);
    },
  );
});
