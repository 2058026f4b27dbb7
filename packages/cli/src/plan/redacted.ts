import type { Plan } from '@outrigger/hub/planner';
import { redact } from '../preview/redact.js';

/** Returns the plan with the contents of Secrets replaced by digests. */
export function redacted(plan: Plan): Plan {
  return {
    ...plan,
    differences: plan.differences.map((one) => ({ ...one, before: one.before.map(redact), after: one.after.map(redact) })),
  };
}
