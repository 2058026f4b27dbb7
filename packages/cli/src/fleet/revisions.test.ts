import { describe, expect, it } from 'vitest';
import { rollout } from '../../../rules/src/why/fixtures.js';
import { revisionToRestore } from './revisions.js';

const target = (revision: number, digest: string = `d${revision}`) => ({ revision, digest });
const given = (current: number, ...history: ReturnType<typeof target>[]) =>
  rollout('hello', {}, { entries: [{ name: 'default', targetRevision: current }], history });

describe('the revision a rollback restores', () => {
  it('is the one before the current', () => expect(revisionToRestore(given(3, target(3), target(2), target(1))).revision).toBe(2));
  it('skips revisions with the same content', () =>
    expect(revisionToRestore(given(3, target(3, 'x'), target(2, 'x'), target(1))).revision).toBe(1));
  it('is the named one', () => expect(revisionToRestore(given(3, target(3), target(1)), 1).revision).toBe(1));
  it('rolls back the rollback: from a pinned revision to the one before it', () => {
    const pinned = { ...given(3, target(3), target(2), target(1)), spec: { pinnedRevision: 2 } };
    expect(revisionToRestore(pinned).revision).toBe(1);
  });
  it('AT-40 does not exist: says which do', () =>
    expect(() => revisionToRestore(given(3, target(3), target(2)), 9)).toThrow('hello has no revision 9: there are 3, 2'));
  it('does not exist before the first', () =>
    expect(() => revisionToRestore(given(1, target(1)))).toThrow('hello has no revision before 1: there is nothing to go back to'));
});
