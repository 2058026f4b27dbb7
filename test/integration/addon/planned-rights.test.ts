import { afterEach, describe, it } from 'vitest';
import { plannedRights } from './planned-rights.js';
import { RIGHTS_CASES } from './planned-rights-cases.js';
import { startWorld, stopWorlds } from './world.js';

describe('the rights in a plan', () => {
  afterEach(stopWorlds);

  it('are those that SubjectAccessReviews find changed by the upgrade', async () => plannedRights(await startWorld(), RIGHTS_CASES));
});
