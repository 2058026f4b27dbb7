import { describe, expect, it } from 'vitest';
import type { CompiledPolicy } from './compile.js';
import {
  HOUR,
  MINUTE,
  NOW,
  type WindowSpec,
  approval,
  cluster,
  decided,
  evaluate,
  freeze,
  group,
  heldOf,
  policy,
  recordOf,
} from './fixtures.js';
import type { GateInput, GateVerdict } from './gates.js';

describe('a gate that vanishes or loosens while it holds clusters', () => {
  const frozen = policy('p', { windows: [freeze()] });
  const edits: readonly [string, readonly CompiledPolicy[]][] = [
    ['its policy is deleted, or governs the add-on no more', []],
    ['it is removed from its policy', [policy('p')]],
    ['it ends earlier', [policy('p', { windows: [freeze({ until: '2026-11-16T11:00' })] })]],
    ['it is about other clusters', [policy('p', { windows: [freeze({ clusters: { matchLabels: { region: 'eu' } } })] })]],
  ];
  it.each(edits)('opens 5 minutes later: %s', (_, policies) => {
    const first = evaluate({ policies: [frozen] });
    const edited = evaluate({ policies, before: recordOf(first), now: NOW + MINUTE });
    expect(heldOf(edited)).toEqual(['c1', 'c2']);
    expect(edited.waitingFor).toMatchObject([{ name: 'p/freeze', loosened: true, until: '2026-11-16T12:06:00Z' }]);
    const later = evaluate({ policies, before: recordOf(edited), now: NOW + 5 * MINUTE });
    expect([later.held.size, later.recheckAt]).toEqual([2, NOW + 6 * MINUTE]);
    expect(evaluate({ policies, before: recordOf(later), now: NOW + 6 * MINUTE })).toMatchObject({ held: new Set(), waitingFor: [] });
  });

  it('also if an approval gate needs fewer approvals', () => {
    const decisions = [decided({ decision: 'Approved' })];
    const first = evaluate({ policies: [policy('p', { approvals: [approval({ required: 2 })] })], decisions });
    const edited = evaluate({ policies: [policy('p', { approvals: [approval()] })], decisions, before: recordOf(first) });
    expect(edited.held.size).toBe(2);
  });

  it.each<[string, readonly CompiledPolicy[]]>([
    ['its policy is deleted', []],
    ['the gate is removed from its policy', [policy('p')]],
  ])('also if a user rejected the revision, approved or not: %s', (_, policies) => {
    const rejected = decided({ decision: 'Rejected', by: 'bob' });
    for (const decisions of [[rejected], [decided({ decision: 'Approved' }), rejected]]) {
      const first = evaluate({ policies: [policy('p', { approvals: [approval()] })], decisions });
      const edited = evaluate({ policies, decisions, before: recordOf(first), now: NOW + MINUTE });
      expect(heldOf(edited)).toEqual(['c1', 'c2']);
      expect(edited.waitingFor.filter(({ loosened }) => loosened)).toMatchObject([{ name: 'p/go', until: '2026-11-16T12:06:00Z' }]);
    }
  });

  it('does not delay a rejection that a user lifts', () => {
    const policies = [policy('p', { approvals: [approval()] })];
    const rejected = [decided({ decision: 'Approved' }), decided({ decision: 'Rejected', by: 'bob', createdAt: NOW - MINUTE })];
    const first = evaluate({ policies, decisions: rejected });
    const decisions = [...rejected, decided({ decision: 'Retried', createdAt: NOW })];
    expect(evaluate({ policies, decisions, before: recordOf(first), now: NOW + MINUTE })).toMatchObject({
      held: new Set(),
      waitingFor: [],
    });
  });

  it('does not delay a gate that opens by time, approval or override', () => {
    const first = evaluate({ policies: [frozen] });
    expect(evaluate({ policies: [frozen], before: recordOf(first), now: NOW + 13 * HOUR }).held.size).toBe(0);
    const decisions = [decided({ decision: 'Overridden', gate: 'p/freeze', endsAt: NOW + HOUR })];
    expect(evaluate({ policies: [frozen], before: recordOf(first), decisions }).held.size).toBe(0);
  });
});

describe('a gate that was removed while it held clusters holds every cluster that comes in the next 5 minutes', () => {
  const frozen = policy('p', { windows: [freeze()] });
  const pauses: readonly [string, Partial<GateInput>][] = [
    ['no cluster waits', { groups: [] }],
    ['its group is empty', { groups: [group('rest', [])] }],
    ['the entry is on a way back', { isWayBack: true }],
    ['the entry is on a way back without clusters', { isWayBack: true, groups: [] }],
  ];
  const unknown: typeof pauses = [
    ['the policies are not known', { policies: 'unknown' }],
    ['the policies are not known on a way back', { policies: 'unknown', isWayBack: true }],
  ];
  /** Evaluates the gates one minute after NOW, during a pause, and expects that the removed gate holds the clusters one minute later. */
  function expectHeldAfter(pause: Partial<GateInput>, record: GateVerdict): void {
    const idle = evaluate({ policies: [], ...pause, before: recordOf(record), now: NOW + MINUTE });
    if (pause.isWayBack) expect(idle.held.size).toBe(0);
    const next = evaluate({ policies: [], before: recordOf(idle), now: NOW + 2 * MINUTE });
    expect([heldOf(next), next.recheckAt]).toEqual([['c1', 'c2'], NOW + 6 * MINUTE]);
    expect(evaluate({ policies: [], before: recordOf(next), now: NOW + 6 * MINUTE })).toMatchObject({ held: new Set(), waitingFor: [] });
  }

  it.each(pauses)('although it is removed while %s', (_, pause) => expectHeldAfter(pause, evaluate({ policies: [frozen] })));

  it.each([...pauses, ...unknown])('although, after its removal, %s', (_, pause) => {
    const held = recordOf(evaluate({ policies: [frozen] }));
    expectHeldAfter(pause, evaluate({ policies: [], before: held, now: NOW + MINUTE }));
  });

  it('is listed without clusters while none waits', () => {
    const first = evaluate({ policies: [frozen] });
    const idle = evaluate({ policies: [], groups: [], before: recordOf(first), now: NOW + MINUTE });
    expect(idle.waitingFor).toMatchObject([{ name: 'p/freeze', clusters: 0, loosened: true, until: '2026-11-16T12:06:00Z' }]);
    expect(idle.recheckAt).toBe(NOW + 6 * MINUTE);
  });
});

describe('AT-61 a window that was removed while it held clusters, and a cluster that joins in the next 5 minutes', () => {
  const waiting = { groups: [group('rest', ['c1', cluster('fresh', { operation: 'Install' })])] };
  const joins = (before: GateVerdict, minutes: number, more: Partial<GateInput> = {}): { verdict: GateVerdict; mayInstall: boolean } => {
    const verdict = evaluate({ policies: [], ...waiting, ...more, before: recordOf(before), now: NOW + minutes * MINUTE });
    return { verdict, mayInstall: verdict.mayInstall(cluster('new', { operation: 'Install' })) };
  };
  it.each<[string, WindowSpec, boolean]>([
    ['for installations', freeze({ for: ['Install'] }), false],
    ['for installations and upgrades', freeze({ for: ['Upgrade', 'Install'] }), false],
    ['for upgrades alone', freeze(), true],
  ])('%s: it may be installed: %s', (_, window, want) => {
    const first = evaluate({ policies: [policy('p', { windows: [window] })], ...waiting });
    const removed = joins(first, 1);
    expect(removed.mayInstall).toBe(want);
    expect(joins(first, 1, { isClockTrusted: false }).mayInstall).toBe(want);
    expect(joins(removed.verdict, 5).mayInstall).toBe(want);
    const edited = joins(first, 1, { policies: [policy('p', { windows: [{ ...window, until: '2026-11-16T11:00' }] })] });
    expect(edited.mayInstall).toBe(want);
    expect(joins(removed.verdict, 6).mayInstall).toBe(true);
  });
});
