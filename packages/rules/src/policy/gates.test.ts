import type { RolloutPolicySpec } from '@outrigger/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CompiledPolicy, failurePolicy } from './compile.js';
import { type GateDecision, readDecision } from './decisions.js';
import {
  type ApprovalSpec,
  CANARY,
  HOUR,
  MINUTE,
  NOW,
  PRODUCTION,
  approval,
  cluster,
  decided,
  evaluate,
  freeze,
  group,
  heldOf,
  nights,
  policy,
  recordOf,
} from './fixtures.js';
import type { RecordedGates } from './hold.js';
import { stateAt, windowGate } from './windows.js';

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

  it('that opened by themselves need approvals once the policy no longer has the wait', () => {
    const gate = { after: 'Group', groups: [{ groupName: 'canary' }] } as const;
    const waiting = evaluate({ policies: [gated({ ...gate, wait: '2h' })], groups });
    const open = evaluate({ policies: [gated({ ...gate, wait: '2h' })], groups, before: recordOf(waiting), now: NOW + 2 * HOUR });
    const edited = { policies: [gated(gate)], groups, before: recordOf(open), now: NOW + 3 * HOUR };
    const closed = evaluate(edited);
    expect([open.held.size, closed.held.size, closed.openedGates]).toEqual([0, 3, []]);
    const approved = evaluate({ ...edited, before: recordOf(closed), decisions: [decided({ decision: 'Approved', group: 'canary' })] });
    expect([approved.held.size, approved.openedGates[0]?.byTime]).toEqual([0, undefined]);
  });
});

describe('overrides', () => {
  const override = (gate: string, endsAt = NOW + HOUR): GateDecision => decided({ decision: 'Overridden', gate, endsAt });
  it.each<[string, Partial<RolloutPolicySpec>, GateDecision, boolean]>([
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

  // If a window starts to hold clusters while another window holds them, only a later pass lists it. This keeps the number of writes small.
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
