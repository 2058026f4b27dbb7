import { toTime } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import type { CompiledPolicy } from './compile.js';
import type { GateDecision } from './decisions.js';
import { HOUR, MINUTE, NOW, approval, decided, evaluate, group, heldOf, policy, recordOf } from './fixtures.js';
import type { GateGroup } from './hold.js';

describe('approvals', () => {
  const before = policy('p', { approvals: [approval()] });
  const two = policy('p', { approvals: [approval({ required: 2 })] });
  const cases: readonly [string, CompiledPolicy, readonly GateDecision[], boolean][] = [
    ['none', before, [], true],
    ['one', before, [decided({ decision: 'Approved' })], false],
    ['one of two', two, [decided({ decision: 'Approved' })], true],
    ['two of the same user', two, [decided({ decision: 'Approved' }), decided({ decision: 'Approved', name: 'again' })], true],
    ['two of two users', two, [decided({ decision: 'Approved' }), decided({ decision: 'Approved', by: 'bob' })], false],
    ['for an earlier revision', before, [decided({ decision: 'Approved', revision: 6 })], true],
    ['for another entry', before, [decided({ decision: 'Approved', entry: 'default/other' })], true],
    ['for another add-on', before, [decided({ decision: 'Approved', addOn: 'logs' })], true],
    ['for another gate', before, [decided({ decision: 'Approved', gate: 'p/other' })], true],
    ['for the gate of another policy', before, [decided({ decision: 'Approved', gate: 'q/go' })], true],
    ['for a group of it', before, [decided({ decision: 'Approved', group: 'rest' })], true],
    ['from before the add-on was declared again', before, [decided({ decision: 'Approved', createdAt: -1 })], true],
    ['and a rejection of another user', before, [decided({ decision: 'Approved' }), decided({ decision: 'Rejected', by: 'bob' })], true],
    [
      'and a rejection that was retried',
      before,
      [decided({ decision: 'Approved' }), decided({ decision: 'Rejected', by: 'bob' }), decided({ decision: 'Retried', createdAt: NOW })],
      false,
    ],
    [
      'and a rejection after a retry',
      before,
      [decided({ decision: 'Approved' }), decided({ decision: 'Retried', createdAt: NOW - HOUR }), decided({ decision: 'Rejected' })],
      true,
    ],
    [
      'and a rejection by an approver of a policy that does not govern the add-on',
      before,
      [decided({ decision: 'Approved' }), decided({ decision: 'Rejected', by: 'mallory', gate: 'other/go' })],
      false,
    ],
    [
      'and a rejection of another gate of the policy',
      before,
      [decided({ decision: 'Approved' }), decided({ decision: 'Rejected', by: 'bob', gate: 'p/later' })],
      true,
    ],
    ['an override does not count for an approval', before, [decided({ decision: 'Overridden', endsAt: NOW + HOUR })], true],
  ];
  it.each(cases)('%s', (_, one, decisions, isHeld) => {
    expect(heldOf(evaluate({ policies: [one], decisions }))).toEqual(isHeld ? ['c1', 'c2'] : []);
  });

  it('are ignored if the API server does not check their writers', () => {
    const verdict = evaluate({ policies: [before], decisions: [decided({ decision: 'Approved' })], areDecisionsEnforced: false });
    expect(heldOf(verdict)).toEqual(['c1', 'c2']);
    expect(verdict.waitingFor[0]?.message).toContain('approvals do not count');
  });

  it('report the number missing and the users who approved', () => {
    expect(evaluate({ policies: [two], decisions: [decided({ decision: 'Approved' })] }).waitingFor[0]?.message).toBe(
      'needs 1 approval before the rollout; alice approved',
    );
  });

  it('of two policies are both needed', () => {
    const policies = [before, policy('q', { approvals: [approval()] })];
    expect(evaluate({ policies, decisions: [decided({ decision: 'Approved' })] }).held.size).toBe(2);
    const both = [decided({ decision: 'Approved' }), decided({ decision: 'Approved', gate: 'q/go' })];
    expect(evaluate({ policies, decisions: both }).held.size).toBe(0);
  });

  it('record how long the gate held clusters, unless it would have opened by itself', () => {
    const decisions = [decided({ decision: 'Approved' })];
    const held = evaluate({ policies: [before] });
    const open = evaluate({ policies: [before], decisions, before: recordOf(held), now: NOW + MINUTE });
    const times = { heldSince: toTime(NOW), openedAt: toTime(NOW + MINUTE) };
    expect(open.openedGates).toEqual([{ name: 'p/go', revision: 7, clusters: 2, ...times }]);
    const later = evaluate({ policies: [before], decisions, before: recordOf(open), now: NOW + 2 * MINUTE });
    expect(later.openedGates).toEqual(open.openedGates);
    const timed = [policy('p', { approvals: [approval({ wait: '1h' })] })];
    const waits = evaluate({ policies: timed });
    expect(evaluate({ policies: timed, decisions, before: recordOf(waits), now: NOW + MINUTE }).openedGates).toEqual([
      { name: 'p/go', revision: 7, clusters: 2 },
    ]);
  });

  it('close the gate again when one is deleted', () => {
    const open = evaluate({ policies: [before], decisions: [decided({ decision: 'Approved' })] });
    expect(heldOf(evaluate({ policies: [before], before: recordOf(open) }))).toEqual(['c1', 'c2']);
  });

  it.each([
    [10, 11, false],
    [10, 12, false],
    [10, 13, true],
    [1, 2, false],
    [1, 3, true],
    [100, 120, false],
    [100, 121, true],
  ])('given for %i clusters, with %i behind the gate: asks again %s', (approved, now, asks) => {
    const sized = (size: number): readonly GateGroup[] => [group('rest', ['c1'], { size })];
    const decisions = [decided({ decision: 'Approved' })];
    const first = evaluate({ policies: [before], decisions, groups: sized(approved) });
    expect(first.openedGates).toEqual([{ name: 'p/go', revision: 7, clusters: approved }]);
    const second = evaluate({ policies: [before], decisions, groups: sized(now), before: recordOf(first) });
    expect(second.held.size > 0).toBe(asks);
    if (!asks) return;
    // The old approval stays invalid; only a new approval opens the gate.
    const later = { policies: [before], groups: sized(now), before: recordOf(second), now: NOW + MINUTE };
    expect(evaluate({ ...later, decisions }).held.size).toBe(1);
    const again = evaluate({ ...later, decisions: [...decisions, decided({ decision: 'Approved', name: 'new', createdAt: NOW + 1000 })] });
    expect(again.held.size).toBe(0);
    expect(evaluate({ ...later, before: recordOf(again), decisions }).held.size).toBe(1);
  });

  describe('given for few clusters do not cover many more', () => {
    const sized = (size: number, rest: Partial<GateGroup> = {}): readonly GateGroup[] => [group('rest', ['c1'], { size, ...rest })];
    const alice = decided({ decision: 'Approved' });
    const bob = decided({ decision: 'Approved', by: 'bob', name: 'b', createdAt: NOW });

    it.each([
      [10, 12, 0],
      [10, 13, 1],
    ])('of two users, the first for %i clusters, the second for %i', (first, second, held) => {
      const half = evaluate({ policies: [two], decisions: [alice], groups: sized(first), now: NOW });
      const both = evaluate({ policies: [two], decisions: [alice, bob], groups: sized(second), before: recordOf(half), now: NOW });
      expect(both.held.size).toBe(held);
    });

    it.each<[string, Partial<GateGroup>]>([
      ['the rollout has not reached the gate', { isReached: false }],
      ['no cluster waits', { waiting: [] }],
    ])('although %s while they become many', (_, meanwhile) => {
      const policies = [policy('p', { approvals: [approval({ before: 'Group' })] })];
      const decisions = [{ ...alice, group: 'rest' }];
      const few = evaluate({ policies, decisions, groups: sized(5, meanwhile) });
      const many = evaluate({ policies, decisions, groups: sized(50, meanwhile), before: recordOf(few), now: NOW + MINUTE });
      const later = evaluate({ policies, decisions, groups: sized(50, meanwhile), before: recordOf(many), now: NOW + 2 * MINUTE });
      const reached = evaluate({ policies, decisions, groups: sized(50), before: recordOf(later), now: NOW + 3 * MINUTE });
      expect(heldOf(reached)).toEqual(['c1']);
      const again = [...decisions, { ...bob, group: 'rest', createdAt: NOW + 4 * MINUTE }];
      expect(heldOf(evaluate({ policies, decisions: again, groups: sized(50), before: recordOf(reached), now: NOW + 5 * MINUTE }))).toEqual(
        [],
      );
    });

    it('although a new leader does not know at first whether approvals count', () => {
      const few = evaluate({ policies: [two], decisions: [alice], groups: sized(10) });
      const first = { policies: [two], decisions: [alice], groups: sized(10), before: recordOf(few), areDecisionsEnforced: false };
      const restarted = evaluate(first);
      expect(restarted.openedGates).toEqual(few.openedGates);
      const many = { policies: [two], decisions: [alice, bob], groups: sized(50), before: recordOf(restarted), now: NOW + MINUTE };
      expect(heldOf(evaluate(many))).toEqual(['c1']);
    });

    it('although the gate was open when a new leader did not know yet whether approvals count', () => {
      const few = evaluate({ policies: [before], decisions: [alice], groups: sized(10) });
      const restarted = evaluate({
        policies: [before],
        decisions: [alice],
        groups: sized(10),
        before: recordOf(few),
        areDecisionsEnforced: false,
      });
      expect(heldOf(restarted)).toEqual(['c1']);
      const known = { policies: [before], decisions: [alice], before: recordOf(restarted), now: NOW + MINUTE };
      expect(heldOf(evaluate({ ...known, groups: sized(12) }))).toEqual([]);
      expect(heldOf(evaluate({ ...known, groups: sized(50) }))).toEqual(['c1']);
    });

    it('although the revision is rejected and retried in between', () => {
      const rejected = decided({ decision: 'Rejected', by: 'bob', createdAt: NOW + MINUTE });
      const retried = decided({ decision: 'Retried', createdAt: NOW + 3 * MINUTE });
      const few = evaluate({ policies: [before], decisions: [alice], groups: sized(5) });
      const many = evaluate({
        policies: [before],
        decisions: [alice, rejected],
        groups: sized(50),
        before: recordOf(few),
        now: NOW + 2 * MINUTE,
      });
      const decisions = [alice, rejected, retried];
      const lifted = evaluate({ policies: [before], decisions, groups: sized(50), before: recordOf(many), now: NOW + 4 * MINUTE });
      expect(
        heldOf(evaluate({ policies: [before], decisions, groups: sized(50), before: recordOf(lifted), now: NOW + 5 * MINUTE })),
      ).toEqual(['c1']);
    });
  });
});
