import type { UpdateStrategy } from '@outrigger/api';
import { assertNever } from '@outrigger/core';
import { stepCreateOnly } from './create-only.js';
import { stepServerSideApply } from './server-side-apply.js';
import { SETTLED, type Situation, type Step } from './situation.js';
import { stepUpdate } from './update.js';

/** Returns the strategy's next step to make the object match its manifest. */
export function nextStep(strategy: UpdateStrategy, situation: Situation): Step {
  switch (strategy.type) {
    case 'Update':
      return stepUpdate(situation);
    case 'CreateOnly':
      return stepCreateOnly(situation);
    case 'ServerSideApply':
      return stepServerSideApply(strategy.serverSideApply ?? {}, situation);
    case 'ReadOnly':
      return SETTLED;
    default:
      return assertNever(strategy.type);
  }
}
