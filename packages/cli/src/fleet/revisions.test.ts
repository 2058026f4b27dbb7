import { describe, expect, it } from 'vitest';
import type { RolloutEntry } from '@outrigger/api';
import { rollout } from '../../../rules/src/why/fixtures.js';
import { revisionToRestore } from './revisions.js';

const target = (revision: number) => ({ revision, digest: `d${revision}` });
const HISTORY = [target(3), target(2), target(1)];
const given = (...entries: readonly RolloutEntry[]) => rollout('hello', {}, { entries, history: HISTORY });
/** An entry that went through these targets, oldest first; those with `!` halted. */
const went = (name: string, ...targets: readonly string[]): RolloutEntry => ({
  name,
  selected: 2,
  targetRevision: Number.parseInt(targets.at(-1) ?? '', 10),
  timeline: targets
    .map((text) => ({
      at: '2026-01-01T00:00:00Z',
      to: Number.parseInt(text, 10),
      outcome: text.endsWith('!') ? ('Halted' as const) : ('Completed' as const),
      endedAt: '2026-01-01T00:05:00Z',
    }))
    .reverse(),
});

describe('the revision a rollback restores', () => {
  it('is the latest target before the current one that completed, with the reason', () => {
    const { target: found, reason } = revisionToRestore(given(went('all', '1', '2!', '3!')));
    expect([found.revision, reason]).toEqual([1, 'the latest target before 3 that completed (2026-01-01T00:05:00Z)']);
  });
  it('goes by time, not by number', () => expect(revisionToRestore(given(went('all', '1', '2', '3', '2'))).target.revision).toBe(3));
  it('is exactly the named one', () => expect(revisionToRestore(given(went('all', '1', '2!', '3')), 2).target.revision).toBe(2));
  it('AT-40 does not exist: says which do', () =>
    expect(() => revisionToRestore(given(went('all', '3')), 9)).toThrow('hello has no revision 9: there are 3, 2, 1'));
  it('AT-62 is not guessed if none completed', () =>
    expect(() => revisionToRestore(given(went('all', '1!', '2!', '3')))).toThrow(
      'no revision of hello before 3 has completed and not failed since: choose one of `outrigger rollout history hello` with `outrigger rollback hello --to-revision <n>`',
    ));
  it('AT-62 is not guessed if the entries differ', () =>
    expect(() => revisionToRestore(given(went('default/a', '1', '3!'), went('default/b', '2', '3!')))).toThrow(
      'the entries of hello do not go back to the same revision (default/a 3 → 1, default/b 3 → 2), and a hold puts all of them at one: nothing was changed; choose one of',
    ));
});
