import { outcomesOf } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { stepProblem } from './actions.js';
import { spec } from './fixtures.js';
import type { CredentialStep } from './machine.js';
import type { PendingKeyProjection } from './secrets.js';

const pending = {} as PendingKeyProjection;
const STEPS = {
  keep: { type: 'keep', forMs: 1 },
  examine: { type: 'examine', certificate: 'PEM' },
  begin: { type: 'begin' },
  ask: { type: 'ask', pending },
  await: { type: 'await', request: 'r' },
  store: { type: 'store', pending, certificate: 'PEM' },
  abandon: { type: 'abandon', pending },
} satisfies Record<string, CredentialStep>;
const REFUSED = ['begin', 'ask', 'store'] as const;

function problem(step: CredentialStep, ...refused: readonly string[]): string | undefined {
  const refusals = refused.map((name) => ({ id: `${name}/hello/kube`, reason: 'NotFound' as const, message: `${name} refused` }));
  return stepProblem(spec, step, outcomesOf(refusals));
}

describe('the problem of a credential', () => {
  it.each(REFUSED)('is the error response to the step %s while the agent repeats it', (name) => {
    expect(problem(STEPS[name], ...REFUSED)).toBe(`${name} refused`);
  });

  const others = REFUSED.flatMap((refused) =>
    Object.values(STEPS).flatMap((step) => (step.type === refused ? [] : [{ refused, step, next: step.type }])),
  );
  it.each(others)('is not an earlier error response to $refused when the next step is $next', ({ refused, step }) => {
    expect(problem(step, refused)).toBeUndefined();
  });

  it('is the reason to wait, whatever was refused before', () => {
    expect(problem({ type: 'hold', why: 'denied' }, ...REFUSED)).toBe('denied');
  });
});
