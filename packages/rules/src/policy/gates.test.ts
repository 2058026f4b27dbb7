import type { RolloutPolicy, RolloutPolicySpec } from '@outrigger/api';
import { toTime } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CompiledPolicy, compilePolicy, failurePolicy } from './compile.js';
import { type Decision, readDecision } from './decisions.js';
import { type GateInput, type GateVerdict, evaluateGates } from './gates.js';
import type { GateCluster, GateGroup, RecordedGates } from './hold.js';
import { stateAt, windowGate } from './windows.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A Monday. */
const NOW = Date.parse('2026-11-16T12:00:00Z');

function policy(name: string, spec: Partial<RolloutPolicySpec> = {}): CompiledPolicy {
  const object: RolloutPolicy = {
    apiVersion: 'outrigger.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name },
    spec: { addOns: { selector: {} }, ...spec },
  };
  return compilePolicy(object);
}

type WindowSpec = NonNullable<RolloutPolicySpec['windows']>[number];
type ApprovalSpec = NonNullable<RolloutPolicySpec['approvals']>[number];
const freeze = (rest: Partial<WindowSpec> = {}): WindowSpec => ({
  name: 'freeze',
  effect: 'Deny',
  from: '2026-11-16T00:00',
  until: '2026-11-17T00:00',
  ...rest,
});
const nights = (rest: Partial<WindowSpec> = {}): WindowSpec => ({
  name: 'nights',
  effect: 'Allow',
  schedule: '0 22 * * *',
  duration: '6h',
  ...rest,
});
const approval = (rest: Partial<ApprovalSpec> = {}): ApprovalSpec => ({ name: 'go', before: 'Rollout', ...rest });

function cluster(name: string, rest: Partial<GateCluster> = {}): GateCluster {
  return { name, labels: {}, annotations: {}, operation: 'Upgrade', ...rest };
}

function group(name: string, waiting: readonly (string | GateCluster)[], rest: Partial<GateGroup> = {}): GateGroup {
  const clusters = waiting.map((one) => (typeof one === 'string' ? cluster(one) : one));
  return { name, index: undefined, size: clusters.length, waiting: clusters, isReached: true, isDone: false, ...rest };
}

const CANARY = group('canary', [], { index: 0, size: 2, isDone: true });
const PRODUCTION = group('production', ['p1', 'p2', 'p3'], { index: 1 });

function decided(spec: Partial<Decision> & Pick<Decision, 'decision'>): Decision {
  return {
    name: `${spec.by ?? 'alice'}-${spec.decision}`,
    addOn: 'metrics',
    entry: 'default/all',
    revision: 7,
    gate: 'p/go',
    by: 'alice',
    createdAt: NOW - MINUTE,
    endsAt: undefined,
    ...spec,
  };
}

function evaluate(input: Partial<GateInput>): GateVerdict {
  return evaluateGates({
    policies: [],
    decisions: [],
    areDecisionsEnforced: true,
    isClockTrusted: true,
    rollout: { addOn: 'metrics', entry: 'default/all', revision: 7, createdAt: 0 },
    isWayBack: false,
    groups: [group('rest', ['c1', 'c2'])],
    before: undefined,
    now: NOW,
    ...input,
  });
}

const heldOf = (verdict: GateVerdict): readonly string[] => [...verdict.held].sort();
const recordOf = ({ waitingFor, openedGates }: GateVerdict): RecordedGates => ({
  waitingFor: [...waitingFor],
  openedGates: [...openedGates],
});

describe('windows of several policies', () => {
  const closed = nights();
  const open = nights({ name: 'days', schedule: '0 8 * * *' });
  it.each<[string, readonly CompiledPolicy[], boolean]>([
    ['no policy', [], false],
    ['a policy without gates', [policy('p')], false],
    ['an open Allow window', [policy('p', { windows: [open] })], false],
    ['a closed Allow window', [policy('p', { windows: [closed] })], true],
    ['one of two Allow windows of a policy is open: OR', [policy('p', { windows: [closed, open] })], false],
    [
      'the Allow windows of one of two policies are closed: AND',
      [policy('p', { windows: [open] }), policy('q', { windows: [closed] })],
      true,
    ],
    ['an open Deny window', [policy('p', { windows: [freeze()] })], true],
    ['an open Deny window beside an open Allow window', [policy('p', { windows: [open, freeze()] })], true],
    ['a Deny window of another policy', [policy('p', { windows: [open] }), policy('q', { windows: [freeze()] })], true],
    ['a Deny window that is over', [policy('p', { windows: [freeze({ until: '2026-11-16T11:00' })] })], false],
    ['a Deny window for installations only', [policy('p', { windows: [freeze({ for: ['Install'] })] })], false],
    [
      'the last part of an Allow window',
      [policy('p', { windows: [nights({ schedule: '0 8 * * *', duration: '5h', lastAdmission: '2h' })] })],
      true,
    ],
  ])('%s', (_, policies, isHeld) => {
    expect(heldOf(evaluate({ policies }))).toEqual(isHeld ? ['c1', 'c2'] : []);
  });

  it('records the wait and its end, and requests a recheck when a listed window ends', () => {
    const policies = [policy('p', { windows: [freeze(), closed] })];
    const verdict = evaluate({ policies });
    expect(verdict.waitingFor).toMatchObject([
      { kind: 'Window', name: 'p/freeze', clusters: 2, since: '2026-11-16T12:00:00Z', until: '2026-11-17T00:00:00Z' },
      { kind: 'Window', name: 'p/nights', clusters: 2, until: '2026-11-17T00:00:00Z' },
    ]);
    const opensAt = Date.parse('2026-11-16T22:00:00Z');
    expect(verdict.recheckAt).toBe(opensAt);
    const later = evaluate({ policies, before: recordOf(verdict), now: opensAt });
    expect(later.waitingFor).toMatchObject([{ name: 'p/freeze', since: '2026-11-16T12:00:00Z', until: '2026-11-17T00:00:00Z' }]);
    expect(later.recheckAt).toBe(Date.parse('2026-11-17T00:00:00Z'));
  });

  it('requests a recheck when an open window closes', () => {
    expect(evaluate({ policies: [policy('p', { windows: [open] })] }).recheckAt).toBe(Date.parse('2026-11-16T14:00:00Z'));
  });

  it('holds the clusters of one region only', () => {
    const eu = cluster('eu1', { labels: { region: 'eu' } });
    const policies = [policy('p', { windows: [freeze({ clusters: { matchLabels: { region: 'eu' } } })] })];
    const verdict = evaluate({ policies, groups: [group('rest', [eu, 'us1'])] });
    expect(heldOf(verdict)).toEqual(['eu1']);
    expect(verdict.waitingFor).toMatchObject([{ clusters: 1 }]);
  });

  it('reads the zone of each cluster, falls back to timeZone, and reports the fallback', () => {
    const zoned = nights({ schedule: '0 12 * * *', duration: '1h', timeZone: 'America/New_York', timeZoneFrom: { annotation: 'zone' } });
    const berlin = cluster('berlin', { annotations: { zone: 'Europe/Berlin' } });
    const utc = cluster('utc', { annotations: { zone: 'UTC' } });
    const none = cluster('none');
    const verdict = evaluate({ policies: [policy('p', { windows: [zoned] })], groups: [group('rest', [berlin, utc, none])] });
    expect(heldOf(verdict)).toEqual(['berlin', 'none']);
    expect(verdict.notes).toEqual(['p/nights: 1 cluster without a known time zone in the annotation zone; America/New_York applies']);
  });

  it('count as closed while the clock is not trusted, for clusters that a window applies to', () => {
    const policies = [policy('p', { windows: [open, freeze({ name: 'eu', clusters: { matchLabels: { region: 'eu' } } })] })];
    const verdict = evaluate({ policies, isClockTrusted: false });
    expect(heldOf(verdict)).toEqual(['c1', 'c2']);
    expect(verdict.waitingFor).toMatchObject([{ kind: 'Clock', clusters: 2 }]);
    expect(heldOf(evaluate({ policies: [policy('p', { approvals: [] })], isClockTrusted: false }))).toEqual([]);
  });

  it('decide whether a joining cluster may be installed', () => {
    const policies = [policy('p', { windows: [freeze({ for: ['Install'], clusters: { matchLabels: { region: 'eu' } } })] })];
    const { mayInstall } = evaluate({ policies });
    expect([mayInstall(cluster('new', { labels: { region: 'eu' } })), mayInstall(cluster('other'))]).toEqual([false, true]);
  });
});

describe('policies', () => {
  it.each<[string, Partial<RolloutPolicySpec>, boolean]>([
    ['by name', { addOns: { names: ['metrics'] } }, true],
    ['by another name', { addOns: { names: ['logs'] } }, false],
    ['by label', { addOns: { selector: { matchLabels: { tier: 'critical' } } } }, true],
    ['by another label', { addOns: { selector: { matchLabels: { tier: 'low' } } } }, false],
    ['by name although the label differs', { addOns: { names: ['metrics'], selector: { matchLabels: { tier: 'low' } } } }, true],
    ['all', { addOns: { selector: {} } }, true],
  ])('govern add-ons %s', (_, spec, want) => {
    expect(policy('p', spec).governs('metrics', { tier: 'critical' })).toBe(want);
  });

  it('that are not known hold all clusters and keep the record', () => {
    const before: RecordedGates = {
      waitingFor: [{ kind: 'Approval', name: 'p/go', since: '2026-11-16T10:00:00Z', clusters: 2, digest: 'd' }],
      openedGates: [{ name: 'p/other', revision: 7, clusters: 4 }],
    };
    const verdict = evaluate({ policies: 'unknown', before });
    expect(heldOf(verdict)).toEqual(['c1', 'c2']);
    expect(verdict.waitingFor).toMatchObject([
      { kind: 'Policies', clusters: 2 },
      { kind: 'Approval', since: '2026-11-16T10:00:00Z' },
    ]);
    expect(verdict.openedGates).toEqual(before.openedGates);
    expect(verdict.mayInstall(cluster('new'))).toBe(false);
  });

  it.each<[string, Partial<RolloutPolicySpec>]>([
    ['a schedule that never fires', { windows: [nights({ schedule: '0 0 31 4 *' })] }],
    ['an unknown zone', { windows: [nights({ timeZone: 'Mars/Olympus' })] }],
    ['a selector that is not one', { addOns: { selector: { matchExpressions: [{ key: '', operator: 'Exists' }] } } }],
    ['a window without times', { windows: [{ name: 'w', effect: 'Allow' }] }],
  ])('with %s hold everything that they may govern', (_, spec) => {
    const broken = policy('broken', spec);
    expect(broken.problem).toBeDefined();
    expect(broken.governs('metrics', {})).toBe(true);
    const verdict = evaluate({ policies: [broken] });
    expect(heldOf(verdict)).toEqual(['c1', 'c2']);
    expect(verdict.waitingFor).toMatchObject([{ kind: 'Policies', name: 'broken' }]);
  });

  it('choose the reaction to failures by name before by label, then alphabetically', () => {
    const byName = policy('z', { addOns: { names: ['metrics'] }, onFailure: { action: 'RollBack' } });
    const halts = { onFailure: { action: 'Halt' } } as const;
    const others = [policy('c', halts), policy('b', halts), policy('a')];
    expect(failurePolicy([...others, byName], 'metrics')?.name).toBe('z');
    expect(failurePolicy(others, 'metrics')?.name).toBe('b');
    expect(failurePolicy([policy('a')], 'metrics')).toBeUndefined();
  });

  it('never hold a rollback', () => {
    const policies = [policy('p', { windows: [freeze()], approvals: [approval()] })];
    expect(evaluate({ policies, isWayBack: true, decisions: [decided({ decision: 'Rejected' })] })).toMatchObject({
      held: new Set(),
      waitingFor: [],
      policies: ['p'],
    });
    expect(heldOf(evaluate({ policies: 'unknown', isWayBack: true }))).toEqual([]);
  });
});

describe('approvals', () => {
  const before = policy('p', { approvals: [approval()] });
  const two = policy('p', { approvals: [approval({ required: 2 })] });
  const cases: readonly [string, CompiledPolicy, readonly Decision[], boolean][] = [
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
});

describe('gates between groups', () => {
  const gated = (rest: Partial<ApprovalSpec>): CompiledPolicy => policy('p', { approvals: [{ name: 'go', ...rest }] });
  const groups = [CANARY, PRODUCTION];
  it.each<[string, Partial<ApprovalSpec>, readonly string[]]>([
    ['before a group by name', { before: 'Group', groups: [{ groupName: 'production' }] }, ['p1', 'p2', 'p3']],
    ['before a group by index', { before: 'Group', groups: [{ groupIndex: 1 }] }, ['p1', 'p2', 'p3']],
    ['before a group that is done', { before: 'Group', groups: [{ groupName: 'canary' }] }, []],
    ['before a group that does not exist', { before: 'Group', groups: [{ groupName: 'staging' }] }, []],
    ['before every group', { before: 'Group' }, ['p1', 'p2', 'p3']],
    ['after a group', { after: 'Group', groups: [{ groupName: 'canary' }] }, ['p1', 'p2', 'p3']],
    ['after the last group', { after: 'Group', groups: [{ groupName: 'production' }] }, []],
  ])('%s', (_, rest, want) => {
    expect(heldOf(evaluate({ policies: [gated(rest)], groups }))).toEqual(want);
  });

  it('hold a group that is not reached, and record it only when it is', () => {
    const early = [group('canary', ['k1'], { index: 0 }), { ...PRODUCTION, isReached: false }];
    const verdict = evaluate({ policies: [gated({ before: 'Group', groups: [{ groupName: 'production' }] })], groups: early });
    expect(heldOf(verdict)).toEqual(['p1', 'p2', 'p3']);
    expect(verdict.waitingFor).toEqual([]);
  });

  it('need an approval that names the group', () => {
    const policies = [gated({ before: 'Group' })];
    expect(evaluate({ policies, groups, decisions: [decided({ decision: 'Approved' })] }).held.size).toBe(3);
    expect(evaluate({ policies, groups, decisions: [decided({ decision: 'Approved', group: 'production' })] }).held.size).toBe(0);
  });

  it('after the rollout hold its end only', () => {
    const policies = [gated({ after: 'Rollout' })];
    const done = [CANARY, { ...PRODUCTION, waiting: [], isDone: true }];
    expect(evaluate({ policies, groups })).toMatchObject({ held: new Set(), holdsCompletion: false, waitingFor: [] });
    const verdict = evaluate({ policies, groups: done });
    expect(verdict).toMatchObject({ holdsCompletion: true, waitingFor: [{ name: 'p/go', clusters: 0 }] });
    expect(evaluate({ policies, groups: done, decisions: [decided({ decision: 'Approved' })] }).holdsCompletion).toBe(false);
  });

  it('with wait open by themselves, counted from when they were reached, and stay open', () => {
    const policies = [gated({ after: 'Group', groups: [{ groupName: 'canary' }], wait: '2h' })];
    const first = evaluate({ policies, groups });
    expect(first).toMatchObject({ waitingFor: [{ until: '2026-11-16T14:00:00Z' }], recheckAt: NOW + 2 * HOUR });
    const early = evaluate({ policies, groups, before: recordOf(first), now: NOW + 2 * HOUR - 1000 });
    expect(early.held.size).toBe(3);
    const open = evaluate({ policies, groups, before: recordOf(early), now: NOW + 2 * HOUR });
    expect([open.held.size, open.openedGates[0]?.byTime]).toEqual([0, true]);
    expect(evaluate({ policies, groups, before: recordOf(open), now: NOW + 3 * HOUR }).held.size).toBe(0);
    const approved = evaluate({ policies, groups, decisions: [decided({ decision: 'Approved', group: 'canary' })] });
    expect(approved.held.size).toBe(0);
  });
});

describe('overrides', () => {
  const override = (gate: string, endsAt = NOW + HOUR): Decision => decided({ decision: 'Overridden', gate, endsAt });
  it.each<[string, Partial<RolloutPolicySpec>, Decision, boolean]>([
    ['of a Deny window', { windows: [freeze()] }, override('p/freeze'), false],
    ['of an Allow window', { windows: [nights()] }, override('p/nights'), false],
    ['that has ended', { windows: [freeze()] }, override('p/freeze', NOW), true],
    ['of another window', { windows: [freeze(), freeze({ name: 'audit' })] }, override('p/freeze'), true],
    ['for another revision', { windows: [freeze()] }, { ...override('p/freeze'), revision: 8 }, true],
  ])('%s', (_, spec, decision, isHeld) => {
    expect(evaluate({ policies: [policy('p', spec)], decisions: [decision] }).held.size > 0).toBe(isHeld);
  });

  it('request a recheck when they end, and open no gate without enforcement', () => {
    const policies = [policy('p', { windows: [freeze()] })];
    expect(evaluate({ policies, decisions: [override('p/freeze')] }).recheckAt).toBe(NOW + HOUR);
    expect(evaluate({ policies, decisions: [override('p/freeze')], areDecisionsEnforced: false }).held.size).toBe(2);
  });

  it('last 24 hours at most', () => {
    const object = {
      apiVersion: 'outrigger.dev/v1alpha1',
      kind: 'RolloutApproval',
      metadata: { name: 'a', creationTimestamp: '2026-11-16T00:00:00Z' },
      spec: {
        addOn: 'a',
        entry: 'e',
        revision: 1,
        gate: 'p/g',
        decision: 'Overridden' as const,
        by: 'x',
        comment: 'c',
        expires: '2027-01-01T00:00:00Z',
      },
    };
    expect(readDecision(object).endsAt).toBe(Date.parse('2026-11-17T00:00:00Z'));
  });
});

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
  /** Evaluates the gate one minute after the record, during a pause, and expects it to hold clusters one minute later. */
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

describe('properties', () => {
  const windowSpec = fc.record({
    effect: fc.constantFrom('Allow' as const, 'Deny' as const),
    hour: fc.integer({ min: 0, max: 23 }),
    duration: fc.constantFrom('1h', '6h', '12h'),
    region: fc.constantFrom(undefined, 'eu', 'us'),
  });
  const specs = fc.record({
    windows: fc.array(windowSpec, { maxLength: 3 }),
    approvals: fc.array(fc.constantFrom('BeforeRollout', 'BeforeGroup', 'AfterGroup'), { maxLength: 2 }),
  });
  const build = (name: string, { windows, approvals }: typeof specs extends fc.Arbitrary<infer T> ? T : never): CompiledPolicy =>
    policy(name, {
      windows: windows.map(({ effect, hour, duration, region }, i) => ({
        name: `w${i}`,
        effect,
        schedule: `0 ${hour} * * *`,
        duration,
        ...(region === undefined ? {} : { clusters: { matchLabels: { region } } }),
      })),
      approvals: approvals.map((place, i) => ({
        name: `a${i}`,
        ...(place === 'AfterGroup'
          ? { after: 'Group' as const }
          : { before: place === 'BeforeGroup' ? ('Group' as const) : ('Rollout' as const) }),
      })),
    });
  const fleet = [
    group('canary', [cluster('e1', { labels: { region: 'eu' } }), 'n1']),
    group('rest', [cluster('u1', { labels: { region: 'us' } }), cluster('e2', { labels: { region: 'eu' } })], { isReached: false }),
  ];
  const time = fc.integer({ min: 0, max: 7 * 24 * 60 }).map((minutes) => NOW + minutes * MINUTE);

  it('a further policy never releases a cluster', () => {
    fc.assert(
      fc.property(specs, specs, time, (first, second, now) => {
        const one = evaluate({ policies: [build('p', first)], groups: fleet, now });
        const both = evaluate({ policies: [build('p', first), build('q', second)], groups: fleet, now });
        expect([...one.held].filter((name) => !both.held.has(name))).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it('no listed window ends before recheckAt', () => {
    fc.assert(
      fc.property(specs, time, (spec, now) => {
        const policies = [build('p', spec)];
        const waiting = fleet.flatMap((one) => one.waiting);
        const heldBy = (at: number): ReadonlySet<string> =>
          new Set(
            waiting.flatMap((one) => {
              const gate = windowGate(
                policies.map(({ name, windows }) => ({ policy: name, windows })),
                one,
                { operation: one.operation, now: at },
              );
              return gate.isOpen || gate.opensAt === undefined ? [] : gate.heldBy.map(({ policy: by, window }) => `${by}/${window}`);
            }),
          );
        const first = evaluate({ policies, groups: fleet, now });
        const next = Math.min(first.recheckAt ?? Infinity, now + 7 * 24 * HOUR);
        const listed = heldBy(now);
        for (let at = now; at < next; at += 15 * MINUTE) expect([...listed].filter((name) => !heldBy(at).has(name))).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it('the answer does not change before recheckAt', () => {
    fc.assert(
      fc.property(specs, time, fc.double({ min: 0, max: 0.999, noNaN: true }), (spec, now, share) => {
        const policies = [build('p', spec)];
        const first = evaluate({ policies, groups: fleet, now });
        const next = first.recheckAt ?? now + 7 * 24 * HOUR;
        const between = now + Math.floor((next - now) * share);
        expect(heldOf(evaluate({ policies, groups: fleet, now: between, before: recordOf(first) }))).toEqual(heldOf(first));
      }),
      { numRuns: 40 },
    );
  });

  // A window that starts to hold clusters while another one holds them is listed in the next pass, so that waiting causes few writes.
  it('a settled gate writes the same record again while no window opens or closes', () => {
    fc.assert(
      fc.property(specs, time, (spec, now) => {
        const policies = [build('p', spec)];
        const first = evaluate({ policies, groups: fleet, now });
        const waiting = fleet.flatMap((one) => one.waiting);
        const windows = policies.flatMap((one) => one.windows);
        const changes = waiting.flatMap((one) => windows.flatMap((window) => stateAt(window, one, now).changesAt ?? []));
        const again = evaluate({
          policies,
          groups: fleet,
          now: Math.min(now + MINUTE, ...[first.recheckAt ?? Infinity, ...changes].map((at) => at - 1)),
          before: recordOf(first),
        });
        expect(recordOf(again)).toEqual(recordOf(first));
      }),
      { numRuns: 40 },
    );
  });
});
