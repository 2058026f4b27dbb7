import type { RejectedContent, RolloutEntry, RolloutTarget, TargetChange } from '@outrigger/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../../policy/compile.js';
import type { GateDecision } from '../../policy/decisions.js';
import { NO_REJECTIONS, Rejections, contentDigest, standingRejections } from './rejections.js';
import { readStrategy } from '../../strategy/rollout-strategy.js';
import {
  type FailedEntry,
  decideRollBack,
  previousTarget,
  rollBackRule,
  targetUnderRejections,
  wayBackRank,
  wayBackStrategy,
} from './roll-back.js';

const AT = '2026-11-16T08:00:00Z';
const NOW = Date.parse(AT);

function targetOf(revision: number, rest: Partial<RolloutTarget> = {}): RolloutTarget {
  return { revision, version: `v${revision}`, digest: `d${revision}`, renderer: 1, configs: [], ...rest };
}
const find = (revision: number): RolloutTarget | undefined => (revision > 0 && revision < 10 ? targetOf(revision) : undefined);
const rejected = (revision: number, rest: Partial<RejectedContent> = {}): RejectedContent => ({
  digest: contentDigest(targetOf(revision)),
  revision,
  gate: 'p/onFailure',
  reason: 'failed',
  at: AT,
  ...rest,
});
const change = (to: number, outcome?: TargetChange['outcome']): TargetChange => ({ at: AT, to, ...(outcome ? { outcome } : {}) });
const entryOf = (targetRevision: number, timeline: readonly TargetChange[], rest: Partial<RolloutEntry> = {}): RolloutEntry => ({
  name: 'default/all',
  targetRevision,
  timeline,
  ...rest,
});
/** An entry that completed v1 and whose target is v2. */
const MOVING = entryOf(2, [change(2), change(1, 'Completed')], { completedRevision: 1 });

describe('rejected content', () => {
  it('is the same with another renderer, and another with any other version, reference or digest of a config', () => {
    const config = { group: 'g', resource: 'r', namespace: 'n', name: 'c', specHash: 'h' };
    const base = targetOf(1, { configs: [config] });
    expect(contentDigest({ ...base, revision: 7, digest: 'x', renderer: 2 })).toBe(contentDigest(base));
    const others: readonly Partial<RolloutTarget>[] = [
      { version: 'v2' },
      { configs: [] },
      ...Object.keys(config).map((field) => ({ configs: [{ ...config, [field]: 'other' }] })),
    ];
    expect(others.filter((other) => contentDigest({ ...base, ...other }) === contentDigest(base))).toEqual([]);
  });

  const retry: GateDecision = {
    name: 'a',
    addOn: 'hello',
    entry: 'default/other',
    revision: 2,
    gate: 'p/onFailure',
    decision: 'Retried',
    by: 'alice',
    createdAt: NOW + 1000,
    endsAt: undefined,
  };
  it.each([
    ['is lifted by a Retried decision that names it', retry, true],
    ['stays for another revision', { ...retry, revision: 3 }, false],
    ['stays for another gate', { ...retry, gate: 'p/errors' }, false],
    ['stays for another add-on', { ...retry, addOn: 'metrics' }, false],
    ['stays for another decision', { ...retry, decision: 'Approved' as const }, false],
    ['stays if it was rejected again after the decision', { ...retry, createdAt: NOW - 1000 }, false],
    ['stays if the decision is older than the AddOnRollout', { ...retry, createdAt: NOW - 20_000 }, false],
  ])('%s', (_, decision, isLifted) => {
    const found = standingRejections([{}, { rejected: [rejected(2)] }], [decision], { addOn: 'hello', createdAt: NOW - 10_000 });
    expect(found.of(targetOf(2)) === undefined).toBe(isLifted);
  });
  it('is not removed while no API server checks the users who decide', () => {
    expect(standingRejections([{ rejected: [rejected(2)] }], undefined, { addOn: 'hello', createdAt: 0 }).list).toHaveLength(1);
  });

  it('is that of all entries, newest first, and bounded', () => {
    const one = { rejected: [rejected(1), rejected(2, { at: '2026-11-16T09:00:00Z' })] };
    const found = standingRejections([one, { rejected: [rejected(1), rejected(3)] }], [], { addOn: 'hello', createdAt: 0 });
    expect(found.list.map(({ revision }) => revision)).toHaveLength(3);
    expect(found.list[0]?.revision).toBe(2);
    expect(found.with([rejected(1)])).toBe(found.list);
    const many = Array.from({ length: 30 }, (_, i) => rejected(100 + i));
    expect(found.with(many)).toHaveLength(20);
  });
});

describe('an entry goes back by itself', () => {
  const rule = { policy: 'p', maxConcurrency: undefined };
  const failed: FailedEntry = {
    rule,
    target: targetOf(2),
    entry: MOVING,
    isPinned: false,
    isPaused: false,
    isWayBack: false,
    failedSince: NOW - 60_000,
    failedText: '2 clusters failed',
    analysis: undefined,
    find,
    rejections: NO_REJECTIONS,
    now: NOW,
  };
  const analysis = { gate: 'p/errors', group: 'canary', result: 'Failed', message: '0.3 > 0.1' } as const;
  const onFailure = { cause: { gate: 'p/onFailure', reason: '2 clusters failed' } };
  const onAnalysis = { cause: { gate: 'p/errors', reason: 'analysis p/errors of group canary failed: 0.3 > 0.1' } };
  it.each<[string, Partial<FailedEntry>, object]>([
    ['after 60 s above maxFailures', {}, onFailure],
    ['not after 59 s', { failedSince: NOW - 59_000 }, { recheckAt: NOW + 1000 }],
    ['not if failures do not exceed maxFailures now', { failedSince: undefined }, {}],
    ['at once if an analysis fails', { failedSince: undefined, analysis }, onAnalysis],
    ['not if an analysis is inconclusive', { failedSince: undefined, analysis: { ...analysis, result: 'Inconclusive' } }, {}],
    ['not without a policy that says RollBack', { rule: undefined }, {}],
    ['not from a pinned revision', { isPinned: true, analysis }, {}],
    ['not while paused', { isPaused: true, analysis }, {}],
    ['not from a way back by hand', { isWayBack: true, analysis }, {}],
    ['not from an automatic way back', { entry: { ...MOVING, rolledBack: { from: 3, to: 2, at: AT, reason: '' } }, analysis }, {}],
    ['not from a target that has completed', { entry: { ...MOVING, completedRevision: 2 }, analysis }, {}],
    ['not without an earlier target that completed', { entry: entryOf(2, [change(2), change(1, 'Superseded')]), analysis }, {}],
    ['not if that target failed since', { entry: entryOf(2, [change(2), change(1, 'Halted'), change(1, 'Completed')]), analysis }, {}],
    ['not if the content of that target is not stored', { find: () => undefined, analysis }, {}],
    ['not if that target is rejected', { rejections: new Rejections([rejected(1)]), analysis }, {}],
    ['not before the record names the target', { entry: entryOf(1, [change(1, 'Completed')]), analysis }, {}],
    ['from a record older than timelines', { entry: entryOf(2, [], { completedRevision: 1 }) }, onFailure],
  ])('%s', (_, rest, decision) => {
    expect(decideRollBack({ ...failed, ...rest })).toEqual(decision);
  });

  it.each([
    ['RollBack by name', [{ action: 'RollBack', maxConcurrency: 3 }], { policy: 'p0', maxConcurrency: 3 }],
    ['Halt of the first policy', [{ action: 'Halt' }, { action: 'RollBack' }], undefined],
    ['a policy without onFailure does not decide', [undefined, { action: 'RollBack' }], { policy: 'p1', maxConcurrency: undefined }],
    ['no policy', [], undefined],
  ] as const)('%s', (_, reactions, expected) => {
    const policies = reactions.map((onFailure, i) =>
      compilePolicy({
        apiVersion: 'outrigger.dev/v1alpha1',
        kind: 'RolloutPolicy',
        metadata: { name: `p${i}` },
        spec: { addOns: { names: ['hello'] }, ...(onFailure ? { onFailure } : {}) },
      }),
    );
    expect(rollBackRule(policies, 'hello')).toEqual(expected);
  });
  it('not by an invalid policy', () => {
    const spec = {
      addOns: { names: ['hello'] },
      onFailure: { action: 'RollBack' as const },
      windows: [{ name: 'w', effect: 'Deny' as const, schedule: 'x', duration: '1h' }],
    };
    expect(
      rollBackRule(
        [compilePolicy({ apiVersion: 'outrigger.dev/v1alpha1', kind: 'RolloutPolicy', metadata: { name: 'p' }, spec })],
        'hello',
      ),
    ).toBeUndefined();
  });
});

describe('the target of an entry', () => {
  const rejections = new Rejections([rejected(2)]);
  it.each<[string, RolloutEntry | undefined, number, string]>([
    ['is the wanted one, if its content is not rejected', MOVING, 3, 'Wanted'],
    ['is the latest earlier one that completed, if the current one is rejected', MOVING, 2, 'Back 1'],
    ['is that one too for another entry on its way', { ...MOVING, name: 'default/other' }, 2, 'Back 1'],
    [
      'stays where an entry went back',
      entryOf(1, [change(1), change(2, 'RolledBack'), change(1, 'Completed')], { completedRevision: 1 }),
      2,
      'Stay 1',
    ],
    ['stays if an entry asks again for rejected content (A, B, A)', entryOf(3, [change(3), change(2, 'RolledBack')]), 2, 'Stay 3'],
    [
      'is kept by an entry that completed it before',
      entryOf(2, [change(2, 'Completed'), change(1, 'Completed')], { completedRevision: 2 }),
      2,
      'Wanted',
    ],
    [
      'is not given again to an entry that completed and left it',
      entryOf(3, [change(3, 'Completed'), change(2, 'Completed')], { completedRevision: 3 }),
      2,
      'Stay 3',
    ],
    ['is none for a new entry', undefined, 2, 'Nowhere'],
    ['is none for an entry without a way back', entryOf(2, [change(2)]), 2, 'Nowhere'],
  ])('%s', (_, entry, wanted, expected) => {
    const choice = targetUnderRejections(entry, targetOf(wanted), find, rejections);
    expect('target' in choice ? `${choice.type} ${choice.target.revision}` : choice.type).toBe(expected);
  });

  const outcomes = fc.constantFrom<TargetChange['outcome'][]>('Completed', 'Halted', 'Superseded', 'RolledBack');
  const revisions = fc.integer({ min: 1, max: 5 });
  const entries = fc
    .record({
      timeline: fc.array(fc.tuple(revisions, outcomes), { minLength: 1, maxLength: 8 }),
      completed: fc.option(revisions, { nil: undefined }),
    })
    .map(({ timeline, completed }) =>
      entryOf(
        timeline[0]?.[0] ?? 1,
        timeline.map(([to, outcome]) => change(to, outcome)),
        completed === undefined ? {} : { completedRevision: completed },
      ),
    );

  it('never becomes rejected content, whatever happened before', () => {
    fc.assert(
      fc.property(entries, revisions, fc.uniqueArray(revisions), (entry, wanted, bad) => {
        const all = new Rejections(bad.map((revision) => rejected(revision)));
        const choice = targetUnderRejections(entry, targetOf(wanted), find, all);
        const next = choice.type === 'Wanted' ? wanted : 'target' in choice ? choice.target.revision : undefined;
        if (next === undefined || next === entry.targetRevision) return;
        expect(bad).not.toContain(next);
      }),
    );
  });

  it('ends after at most one step back per revision: there is no loop of rollbacks', () => {
    fc.assert(
      fc.property(entries, revisions, fc.uniqueArray(revisions), (start, wanted, bad) => {
        const all = new Rejections(bad.map((revision) => rejected(revision)));
        const seen: number[] = [];
        let entry = start;
        for (;;) {
          const choice = targetUnderRejections(entry, targetOf(wanted), find, all);
          if (choice.type !== 'Back') return;
          const { revision } = choice.target;
          expect(seen).not.toContain(revision);
          seen.push(revision);
          // The way back fails too, and another entry rejects its content in the meantime.
          entry = { ...entry, targetRevision: revision, timeline: [change(revision, 'Halted'), ...(entry.timeline ?? [])] };
        }
      }),
    );
  });

  it('a way back is a target that completed and has not failed since', () => {
    fc.assert(
      fc.property(entries, (entry) => {
        const target = previousTarget(entry, find, NO_REJECTIONS);
        const recorded = (entry.timeline ?? []).some(({ to, outcome }) => to === target?.revision && outcome === 'Completed');
        expect(target === undefined || recorded || target.revision === entry.completedRevision).toBe(true);
        expect(target?.revision).not.toBe(entry.targetRevision);
      }),
    );
  });
});

describe('the strategy of a way back', () => {
  const groups = { mandatoryDecisionGroups: [{ groupName: 'canary' }], minSuccessTime: '1h', progressDeadline: '10m', maxFailures: 2 };
  it.each([
    ['Progressive', { type: 'Progressive', progressive: { ...groups, maxConcurrency: 4 } }, undefined, { count: 4 }],
    [
      'Progressive, with the budget of the policy',
      { type: 'Progressive', progressive: { ...groups, maxConcurrency: 4 } },
      '50%',
      { percent: 50 },
    ],
    ['Progressive, with a budget of 0 %', { type: 'Progressive', progressive: { ...groups, maxConcurrency: 4 } }, '0%', { count: 4 }],
    ['ProgressivePerGroup', { type: 'ProgressivePerGroup', progressivePerGroup: groups }, undefined, undefined],
    ['ProgressivePerGroup, with a budget of 0', { type: 'ProgressivePerGroup', progressivePerGroup: groups }, '0', undefined],
    ['ProgressivePerGroup, with the budget of the policy', { type: 'ProgressivePerGroup', progressivePerGroup: groups }, 7, { count: 7 }],
  ] as const)('%s has no groups and no soak', (_, strategy, maxConcurrency, budget) => {
    expect(wayBackStrategy(readStrategy(strategy), { maxConcurrency })).toEqual({
      type: 'Progressive',
      minSuccessMs: 0,
      progressDeadlineMs: 600_000,
      maxFailures: { count: 2 },
      maxConcurrency: budget,
      mandatoryGroups: [],
    });
  });
  it('All goes back at once unless the policy sets a budget', () => {
    const all = readStrategy({ type: 'All' });
    expect(wayBackStrategy(all, undefined)).toBe(all);
    expect(wayBackStrategy(all, { maxConcurrency: 2 })).toMatchObject({ type: 'Progressive', maxConcurrency: { count: 2 } });
  });

  const left = { atTarget: true, isDone: true, isAvailable: true, doneAt: NOW - 3_600_000 };
  it.each([
    ['failed', { ...left, isDone: false }, 0],
    ['not available', { ...left, isAvailable: false }, 1],
    ['soaking', { ...left, doneAt: NOW - 60_000 }, 1],
    ['succeeded', left, 2],
    ['never moved', { ...left, atTarget: false }, 3],
  ])('orders a cluster that %s', (_, report, rank) => {
    expect(wayBackRank(report, { minSuccessMs: 600_000 }, NOW)).toBe(rank);
  });
});
