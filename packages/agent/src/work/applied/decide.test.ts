import { briefly, nowAt } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { given, leftover, listed, object, owned } from '../fixtures.js';
import { type AppliedWorkState, NEVER_MS, decide } from './decide.js';

const HOUR = 3_600_000;
const START = Date.parse('2026-06-01T00:00:00Z');
const NOW = nowAt(START);
const { appliedWork } = given({ listed: [listed('a'), listed('b')] });
const state = (over: Partial<AppliedWorkState> = {}): AppliedWorkState => ({
  name: 'hash-work',
  appliedWork,
  isManaged: true,
  graceMs: HOUR,
  missingForMs: undefined,
  leftovers: [],
  ...over,
});
const missing = (missingForMs: number): Partial<AppliedWorkState> => ({
  appliedWork: { ...appliedWork, evictionStartTime: '2026-05-31T23:00:00Z' },
  missingForMs,
});

describe('eviction', () => {
  const cases: readonly { name: string; state: AppliedWorkState; want: readonly string[]; after?: number }[] = [
    { name: 'an applied work whose work exists is left alone', state: state(), want: [] },
    {
      name: 'an applied work whose work is missing gets a timestamp',
      state: state({ isManaged: false }),
      want: ['patch AppliedManifestWork/status hash-work'],
      after: HOUR,
    },
    {
      name: 'and checked again when its grace period ends',
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
      name: 'the timestamp is removed when the work exists again',
      state: state(missing(HOUR / 3)),
      want: ['patch AppliedManifestWork/status hash-work'],
    },
    { name: 'with a grace of a hundred years nothing is marked', state: state({ isManaged: false, graceMs: NEVER_MS }), want: [] },
    {
      name: 'and timestamps are removed',
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

describe('cleaning up after a deleted applied work', () => {
  const deleted = { ...appliedWork, isDeleting: true };
  const a = leftover('a', owned(object('a')));
  const b = leftover('b', owned(object('b')));
  const gone = { ...b, live: { state: 'absent' } } as const;
  const cases: readonly { name: string; state: AppliedWorkState; want: readonly string[] }[] = [
    {
      name: 'the listed objects are watched first',
      state: state({ appliedWork: deleted, leftovers: [a, { ...b, isTracked: false }] }),
      want: ['effect track track'],
    },
    {
      name: 'then removed',
      state: state({ appliedWork: deleted, leftovers: [a, b] }),
      want: ['effect release release/configmaps. ns/a', 'effect release release/configmaps. ns/b'],
    },
    {
      name: 'objects that no longer exist are removed from the list',
      state: state({ appliedWork: deleted, leftovers: [a, gone] }),
      want: ['patch AppliedManifestWork/status hash-work', ';', 'effect release release/configmaps. ns/a'],
    },
    {
      name: 'the agent waits for objects that are being deleted',
      state: state({
        appliedWork: { ...deleted, resources: [listed('a')] },
        leftovers: [leftover('a', owned(object('a'), { deletionTimestamp: 'now' }))],
      }),
      want: [],
    },
    {
      name: 'after the last object the finalizer of the applied work is removed',
      state: state({ appliedWork: deleted, leftovers: [{ ...a, live: { state: 'absent' } }, gone] }),
      want: ['patch AppliedManifestWork hash-work'],
    },
    {
      name: 'an applied work without our finalizer is not ours to clean up',
      state: state({ appliedWork: { ...deleted, finalizers: [] }, leftovers: [a] }),
      want: [],
    },
    {
      name: 'the objects of an applied work that is gone are no longer watched',
      state: state({ appliedWork: undefined }),
      want: ['effect track track'],
    },
  ];
  it.each(cases)('$name', ({ state: it_, want }) => expect(briefly(decide(it_, NOW))).toEqual(want));
});
