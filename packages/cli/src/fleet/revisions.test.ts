import { describe, expect, it } from 'vitest';
import type { RolloutEntry } from '@outrigger/api';
import { rollout } from '../../../rules/src/why/fixtures.js';
import { EXIT } from '../failure.js';
import {
  clearRefusal,
  failedThere,
  failureRefusal,
  failureWarning,
  holdingPin,
  lastCompleted,
  pinsFor,
  pinsWithout,
  restorations,
  type WayBackRequest,
} from './revisions.js';

const target = (revision: number) => ({ revision, digest: `d${revision}` });
const HISTORY = [target(3), target(2), target(1)];
const given = (...entries: readonly RolloutEntry[]) => rollout('hello', {}, { entries, history: HISTORY });
/** Returns an entry with these past targets, oldest first. Targets marked with `!` were halted. */
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

/** Formats the rollbacks: `1` means revision 1 for all entries, `default/a 1` means revision 1 for the entry default/a. */
const goes = (entries: readonly RolloutEntry[], request?: WayBackRequest): readonly string[] =>
  restorations(given(...entries), request).map(({ entry, target: { revision } }) =>
    entry === undefined ? `${revision}` : `${entry} ${revision}`,
  );

describe('the revision a rollback restores', () => {
  it('is the latest target before the current one that completed, with the reason', () => {
    const found = restorations(given(went('all', '1', '2!', '3!')));
    expect(found).toMatchObject([{ target: { revision: 1 }, reason: 'the latest target before 3 that completed (2026-01-01T00:05:00Z)' }]);
  });
  it('goes by time, not by number', () => expect(goes([went('all', '1', '2', '3', '2')])).toEqual(['3']));
  it('is exactly the named one', () => expect(goes([went('all', '1', '2!', '3')], { toRevision: 2 })).toEqual(['2']));
  it('AT-40 does not exist: the message lists those that do', () =>
    expect(() => goes([went('all', '3')], { toRevision: 9 })).toThrow('hello has no revision 9: there are 3, 2, 1'));
  it('AT-62 is not guessed if none completed', () =>
    expect(() => goes([went('all', '1!', '2!', '3')])).toThrow(
      'no revision of hello before 3 has completed and not failed since: choose one of `outrigger rollout history hello` with --to-revision',
    ));
  it('AT-62 does not exist for the first revision: the message says so and offers no choice', () =>
    expect(() => restorations(rollout('hello', {}, { entries: [went('all', '1!')], history: [{ ...target(1), version: 'v1' }] }))).toThrow(
      'hello has had revision 1 (v1) only, so there is nothing to go back to: `outrigger why hello` explains its state',
    ));
  it('AT-62 is not guessed if the entries differ', () =>
    expect(() => goes(DIFFERING)).toThrow(
      'the entries of hello do not go back to the same revision (default/a 3 → 1, default/b 3 → 2): nothing was changed; ' +
        '`outrigger rollback hello --placement default/a` puts one of them back, `outrigger rollback hello --all` puts each of them back to its own; or choose one of',
    ));
  it('AT-62 --placement goes back with one entry, --all with each to its own', () => {
    expect(goes(DIFFERING, { placement: 'default/b' })).toEqual(['default/b 2']);
    expect(goes(DIFFERING, { all: true })).toEqual(['default/a 1', 'default/b 2']);
    expect(goes(DIFFERING, { placement: 'default/a', toRevision: 2 })).toEqual(['default/a 2']);
  });
  it('AT-62 --all goes back to one revision if it suits all entries', () =>
    expect(goes([went('default/a', '1', '2'), went('default/b', '1', '2')], { all: true })).toEqual(['1']));
  it('AT-62 --all and --placement refuse if an entry has no way back', () => {
    const stuck = [went('default/a', '1', '3!'), went('default/b', '2!', '3!')];
    expect(() => goes(stuck)).not.toThrow('--all');
    expect(() => goes(stuck, { all: true })).toThrow('no revision of hello before 3 has completed on the clusters of default/b');
    expect(() => goes(stuck, { placement: 'default/b' })).toThrow('has completed on the clusters of default/b');
    expect(goes(stuck, { placement: 'default/a' })).toEqual(['default/a 1']);
  });
  it('an entry that does not exist is refused with those that do', () =>
    expect(() => goes(DIFFERING, { placement: 'default/c' })).toThrow(/no entry "default\/c".*there are default\/a, default\/b/));
});

const REJECTED = { digest: 'd2', revision: 2, reason: 'failed', at: '2026-01-01T00:00:00Z' };
const EMPTY = { ...went('empty', '3', '1!', '2'), selected: 0 };
const DIFFERING = [went('default/a', '1', '3!'), went('default/b', '2', '3!')];

describe('AT-62 a named revision that failed and has not completed since', () => {
  it.each<[string, readonly RolloutEntry[], WayBackRequest, readonly string[]]>([
    ['halted', [went('all', '1', '2!', '3')], { toRevision: 2 }, ['all']],
    ['completed', [went('all', '1', '2!', '3')], { toRevision: 1 }, []],
    ['completed after it had halted', [went('all', '1', '2!', '2', '3')], { toRevision: 2 }, []],
    ['halted after it had completed', [went('all', '1', '2', '1', '2!', '3')], { toRevision: 2 }, ['all']],
    ['is halted now', [went('all', '1', '3!')], { toRevision: 3 }, ['all']],
    ['rejected, and no longer in the timeline', [{ ...went('all', '1'), rejected: [REJECTED] }], { toRevision: 2 }, ['all']],
    ['rejected, and completed since', [{ ...went('all', '2', '1'), rejected: [REJECTED] }], { toRevision: 2 }, []],
    ['was never a target', [went('all', '1')], { toRevision: 2 }, []],
    ['halted in one of two entries', DIFFERING, { toRevision: 3 }, ['default/a', 'default/b']],
    ['halted in an entry without clusters', [went('a', '1', '3!'), EMPTY], {}, []],
    ['halted in an entry without clusters that is named', [went('a', '1', '3!'), EMPTY], { toRevision: 1, placement: 'empty' }, ['empty']],
    ['halted, and no entry has clusters', [EMPTY], { toRevision: 1 }, ['empty']],
    ['halted in another entry than the named one', [went('a', '1', '2!', '1'), went('b', '2', '1')], { toRevision: 2, placement: 'b' }, []],
  ])('%s', (_, entries, request, want) => {
    const rollouts = given(...entries);
    expect(failedThere(rollouts, restorations(rollouts, request)).map(({ name }) => name)).toEqual(want);
  });
});

describe('AT-62 the refusal to restore a revision that failed', () => {
  it.each<[string, readonly RolloutEntry[], WayBackRequest, string]>([
    ['names the command that goes to one that completed', [went('all', '1', '2!', '3!')], { toRevision: 2 }, 'rollback hello'],
    ['keeps --placement', DIFFERING, { toRevision: 3, placement: 'default/b' }, 'rollback hello --placement default/b'],
    ['names --all if the entries differ', DIFFERING, { toRevision: 3 }, 'rollback hello --all'],
    ['names no command if none would succeed', [went('all', '1!', '2!')], { toRevision: 1 }, ''],
    ['names no command if the named entry has no way back', [went('a', '1', '3!'), went('b', '3!')], { toRevision: 3, placement: 'b' }, ''],
    ['names no command if an entry has no way back', [went('a', '1', '3!'), went('b', '3!')], { toRevision: 3 }, ''],
  ])('%s', (_, entries, request, command) => {
    const rollouts = given(...entries);
    const warning = failureWarning(rollouts, restorations(rollouts, request)) ?? '';
    const advice = command === '' ? '' : `\`outrigger ${command}\` goes to the latest that completed, `;
    expect(failureRefusal(rollouts, request, warning).message).toBe(
      `${warning}: nothing was changed; ${advice}--yes rolls this one out again`,
    );
    expect(warning).toMatch(/^revision \d of hello failed or was rolled back in /);
  });
});

describe('the pins of a rollback', () => {
  const pinned = { ...given(...DIFFERING), spec: { pinnedRevision: 3, pinnedEntries: [{ name: 'default/a', revision: 2 }] } };
  it('one for all replaces those of entries', () =>
    expect(pinsFor(pinned, restorations(pinned, { toRevision: 1 }))).toEqual({ pinnedRevision: 1, pinnedEntries: null }));
  it('one for an entry leaves the others', () =>
    expect(pinsFor(pinned, restorations(pinned, { placement: 'default/b' }))).toEqual({
      pinnedEntries: [
        { name: 'default/a', revision: 2 },
        { name: 'default/b', revision: 2 },
      ],
    }));
  it('--clear removes all, or that of one entry', () => {
    expect(pinsWithout(pinned, undefined)).toEqual({ pinnedRevision: null, pinnedEntries: null });
    expect(pinsWithout(pinned, 'default/a')).toEqual({ pinnedEntries: null });
    expect(() => pinsWithout(pinned, 'default/b')).toThrow(
      'hello has no pin for default/b alone; `outrigger rollback hello --clear` removes',
    );
  });
  it.each([
    { name: 'pinned', rollout: pinned },
    { name: 'not pinned', rollout: given(...DIFFERING) },
  ])('--clear of an entry that does not exist fails with those that do, if the add-on is $name', ({ rollout }) =>
    expect(() => pinsWithout(rollout, 'default/nope')).toThrow(
      expect.objectContaining({
        exitCode: EXIT.notFound,
        message: 'the rollout of hello has no entry "default/nope": there are default/a, default/b',
      }),
    ),
  );
  it('--clear removes the pin of an entry that is no longer recorded, and there is nothing to clear without a pin', () => {
    const left = { ...given(...DIFFERING), spec: { pinnedEntries: [{ name: 'default/gone', revision: 2 }] } };
    expect(pinsWithout(left, 'default/gone')).toEqual({ pinnedEntries: null });
    expect([undefined, 'default/a'].map((entry) => pinsWithout(given(...DIFFERING), entry))).toEqual([undefined, undefined]);
  });
});

describe('the revisions that an abort goes back to', () => {
  const at = (name: string, targetRevision: number, completedRevision?: number, selected = 2): RolloutEntry => ({
    name,
    selected,
    targetRevision,
    ...(completedRevision === undefined ? {} : { completedRevision }),
  });
  it.each<{ readonly name: string; readonly entries: readonly RolloutEntry[]; readonly pins: object }>([
    {
      name: 'one for all entries if they agree',
      entries: [at('a', 3, 2), at('b', 3, 2)],
      pins: { pinnedRevision: 2, pinnedEntries: null },
    },
    {
      name: 'one for all if only one of them moves',
      entries: [at('a', 3, 2), at('b', 2, 2)],
      pins: { pinnedRevision: 2, pinnedEntries: null },
    },
    {
      name: 'one for each moving entry if they differ',
      entries: [at('a', 3, 1), at('b', 3, 2)],
      pins: {
        pinnedEntries: [
          { name: 'a', revision: 1 },
          { name: 'b', revision: 2 },
        ],
      },
    },
    {
      name: 'an entry that has arrived stays',
      entries: [at('a', 3, 1), at('b', 3, 3)],
      pins: { pinnedEntries: [{ name: 'a', revision: 1 }] },
    },
    {
      name: 'entries without clusters do not count',
      entries: [at('a', 3, 2), at('b', 3, 1, 0)],
      pins: { pinnedRevision: 2, pinnedEntries: null },
    },
  ])('$name', ({ entries, pins }) => {
    const record = given(...entries);
    expect(pinsFor(record, lastCompleted(record))).toEqual(pins);
  });
  it.each([
    ['nothing moves', [at('a', 3, 3), at('b', 2, 2)], 'every entry of hello is at a revision that completed: there is nothing to abort'],
    ['nothing completed', [at('a', 3)], 'no revision of hello has completed: choose one of `outrigger rollout history hello`'],
    ['one entry has nothing', [at('a', 3), at('b', 3, 2)], 'no revision of hello has completed on the clusters of a: choose one of'],
    ['it is on no cluster', [at('a', 3, undefined, 0)], 'no revision of hello has completed: choose one of'],
  ])('is refused if %s', (_, entries, message) => expect(() => lastCompleted(given(...entries))).toThrow(message));
  it('is refused with a command that has the option which the message names', () =>
    expect(() => lastCompleted(given(at('a', 3)))).toThrow('and give it to `outrigger rollback hello` with --to-revision'));
  it('is refused without a choice if there was one revision only', () =>
    expect(() => lastCompleted(rollout('hello', {}, { entries: [at('a', 1)], history: [target(1)] }))).toThrow(
      'hello has had revision 1 only, so there is nothing to go back to: `outrigger why hello` explains its state',
    ));
});

describe('the command that removes a pin', () => {
  type Spec = Parameters<typeof rollout>[1];
  const canaries = [{ name: 'default/a', revision: 1 }];
  it.each<[string, Spec, ReturnType<typeof holdingPin>]>([
    ['of the entry', { pinnedEntries: canaries }, { revision: 1, clear: 'outrigger rollback hello --clear --placement default/a' }],
    ['of all entries', { pinnedRevision: 2 }, { revision: 2, clear: 'outrigger rollback hello --clear' }],
    ['of another entry does not hold the entry', { pinnedEntries: [{ name: 'default/b', revision: 1 }] }, undefined],
    ['is not needed without a pin', {}, undefined],
  ])('%s', (_, spec, want) => expect(holdingPin(rollout('hello', spec, {}), 'default/a')).toEqual(want));
  it.each([
    ['default/a', '`outrigger rollback hello --clear --placement default/a --yes`'],
    [undefined, '`outrigger rollback hello --clear --yes`'],
  ])('of %s is not wider in a refusal', (placement, command) =>
    expect(clearRefusal('hello', placement, 'it failed').message).toContain(command),
  );
});
