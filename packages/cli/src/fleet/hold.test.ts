import { describe, expect, it } from 'vitest';
import { rollout } from '../../../rules/src/why/fixtures.js';
import { FAILED_REVISIONS_ANNOTATION, failedRevisions } from './hold.js';

describe('the failed revisions that a rollback records', () => {
  const entry = (state: 'Halted' | 'Paused' | 'Completed', outcome?: 'Halted' | 'Completed') => ({
    name: 'labelSelector',
    state,
    failed: 1,
    targetRevision: 3,
    timeline: [{ at: '2026-01-01T00:00:00Z', to: 3, ...(outcome === undefined ? {} : { outcome }) }],
  });
  it.each([
    ['a halted rollout', entry('Halted', 'Halted'), '1,3'],
    ['a rollout that was paused after it was halted', entry('Paused', 'Halted'), '1,3'],
    ['a paused rollout', entry('Paused'), undefined],
    ['a completed rollout', entry('Completed', 'Completed'), undefined],
  ])('%s', (_, halted, recorded) => {
    const before = rollout('hello', {}, { entries: [halted] });
    const annotated = { ...before, metadata: { ...before.metadata, annotations: { [FAILED_REVISIONS_ANNOTATION]: '1' } } };
    expect(failedRevisions(annotated)).toBe(recorded);
  });
});
