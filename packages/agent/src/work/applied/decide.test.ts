import { briefly, nowAt } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { given, leftover, listed, object, owned } from '../fixtures.js';
import { type AppliedState, NEVER_MS, decide } from './decide.js';

const HOUR = 3_600_000;
const START = Date.parse('2026-06-01T00:00:00Z');
const NOW = nowAt(START);
const { applied } = given({ listed: [listed('a'), listed('b')] });
const state = (over: Partial<AppliedState> = {}): AppliedState => ({
  name: 'hash-work',
  applied,
  isManaged: true,
  graceMs: HOUR,
  missingForMs: undefined,
  leftovers: [],
  ...over,
});
const missing = (missingForMs: number): Partial<AppliedState> => ({
  applied: { ...applied, evictionStartTime: '2026-05-31T23:00:00Z' },
  missingForMs,
});

describe('eviction', () => {
  const cases: readonly { name: string; state: AppliedState; want: readonly string[]; after?: number }[] = [
    { name: 'a record whose work is there is left alone', state: state(), want: [] },
    {
      name: 'one whose work is missing is marked',
      state: state({ isManaged: false }),
      want: ['patch AppliedManifestWork/status hash-work'],
      after: HOUR,
    },
    {
      name: 'and looked at again when its time is over',
      state: state({ isManaged: false, ...missing(HOUR / 3) }),
      want: [],
      after: HOUR * (2 / 3),
    },
    {
      name: 'and deleted then',
      state: state({ isManaged: false, ...missing(HOUR) }),
      want: ['delete AppliedManifestWork hash-work'],
    },
    {
      name: 'the mark goes when the work is back',
      state: state(missing(HOUR / 3)),
      want: ['patch AppliedManifestWork/status hash-work'],
    },
    { name: 'with a grace of a hundred years nothing is marked', state: state({ isManaged: false, graceMs: NEVER_MS }), want: [] },
    {
      name: 'and marks go',
      state: state({ isManaged: false, graceMs: NEVER_MS, ...missing(HOUR / 3) }),
      want: ['patch AppliedManifestWork/status hash-work'],
    },
  ];
  it.each(cases)('$name', ({ state: it_, want, after }) => {
    const decision = decide(it_, NOW);
    expect(briefly(decision)).toEqual(want);
    expect(decision.requeueAfterMs).toBe(after);
  });
});

describe('cleaning up after a deleted record', () => {
  const deleted = { ...applied, isDeleting: true };
  const a = leftover('a', owned(object('a')));
  const b = leftover('b', owned(object('b')));
  const gone = { ...b, live: { state: 'absent' } } as const;
  const cases: readonly { name: string; state: AppliedState; want: readonly string[] }[] = [
    {
      name: 'what it lists is watched first',
      state: state({ applied: deleted, leftovers: [a, { ...b, isTracked: false }] }),
      want: ['effect track track'],
    },
    {
      name: 'then removed',
      state: state({ applied: deleted, leftovers: [a, b] }),
      want: ['effect release release/configmaps. ns/a', 'effect release release/configmaps. ns/b'],
    },
    {
      name: 'what is gone is struck off',
      state: state({ applied: deleted, leftovers: [a, gone] }),
      want: ['patch AppliedManifestWork/status hash-work', ';', 'effect release release/configmaps. ns/a'],
    },
    {
      name: 'what is on its way out is waited for',
      state: state({
        applied: { ...deleted, applied: [listed('a')] },
        leftovers: [leftover('a', owned(object('a'), { deletionTimestamp: 'now' }))],
      }),
      want: [],
    },
    {
      name: 'the last lets the record go',
      state: state({ applied: deleted, leftovers: [{ ...a, live: { state: 'absent' } }, gone] }),
      want: ['patch AppliedManifestWork hash-work'],
    },
    {
      name: 'a record without our finalizer is not ours to clean up',
      state: state({ applied: { ...deleted, finalizers: [] }, leftovers: [a] }),
      want: [],
    },
    { name: 'a record that is gone is no longer watched', state: state({ applied: undefined }), want: ['effect track track'] },
  ];
  it.each(cases)('$name', ({ state: it_, want }) => expect(briefly(decide(it_, NOW))).toEqual(want));
});
