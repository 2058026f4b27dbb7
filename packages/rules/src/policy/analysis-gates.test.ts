import type { AnalysisState, PolicyAnalysis, RolloutPolicySpec } from '@outrigger/api';
import { TIME_ROUNDING_MS, toTime } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import type { DueMeasurement, TakenMeasurement } from './analysis-gates.js';
import { compilePolicy } from './compile.js';
import type { GateDecision } from './decisions.js';
import { type GateVerdict, evaluateGates } from './gates.js';
import type { GateGroup } from './hold.js';

const MINUTE = 60_000;
const START = Date.parse('2026-11-16T12:00:00Z');
const REVISION = 7;

const analysis = (rest: Partial<PolicyAnalysis> = {}): PolicyAnalysis => ({
  name: 'errors',
  provider: 'prometheus',
  query: 'up',
  interval: '1m',
  count: 2,
  success: 'result < 0.1',
  ...rest,
});
const group = (name: string, waiting: readonly string[], rest: Partial<GateGroup> = {}): GateGroup => ({
  name,
  index: undefined,
  size: 2,
  waiting: waiting.map((one) => ({ name: one, labels: {}, annotations: {}, operation: 'Upgrade' })),
  isReached: true,
  isDone: waiting.length === 0,
  ...rest,
});
const CANARY = group('canary', [], { moved: ['c1', 'c2'], admittedAt: toTime(START - MINUTE) });
const PRODUCTION = group('production', ['p1', 'p2']);

interface Step {
  readonly groups?: readonly GateGroup[];
  readonly taken?: readonly TakenMeasurement[];
  readonly decisions?: readonly GateDecision[];
}

/** Evaluates the gates of an entry step by step and records the verdict of each step. */
function rollout(analyses: readonly PolicyAnalysis[], spec: Partial<RolloutPolicySpec> = {}) {
  const policies = [
    compilePolicy({
      apiVersion: 'outrigger.dev/v1alpha1',
      kind: 'RolloutPolicy',
      metadata: { name: 'p' },
      spec: { addOns: { selector: {} }, analysis: analyses, ...spec },
    }),
  ];
  let before: Parameters<typeof evaluateGates>[0]['before'];
  let verdict: GateVerdict;
  const evaluate = (at: number, step: Step): GateVerdict =>
    evaluateGates({
      policies,
      decisions: step.decisions ?? [],
      areDecisionsEnforced: true,
      isClockTrusted: true,
      rollout: { addOn: 'metrics', entry: 'default/all', revision: REVISION, createdAt: 0 },
      isWayBack: false,
      groups: step.groups ?? [CANARY, PRODUCTION],
      before,
      taken: step.taken ?? [],
      now: at,
    });
  return (at: number, step: Step = {}): GateVerdict => {
    verdict = evaluate(at, step);
    before = { waitingFor: verdict.waitingFor, openedGates: verdict.openedGates, analysis: verdict.analysis };
    return verdict;
  };
}

const answer = (due: DueMeasurement | undefined, value: number, at: number): TakenMeasurement => {
  if (!due) throw new Error('no measurement is due');
  const { gate, group: measured, revision, look, moved, peers, comparedAt } = due;
  return { gate, group: measured, revision, look, at, moved, peers, comparedAt, now: { series: [{ labels: {}, value }] } };
};
const held = ({ held: names }: GateVerdict): string => [...names].join();
const override = (gate: string, endsAt: number): GateDecision => ({
  name: 'o',
  addOn: 'metrics',
  entry: 'default/all',
  revision: REVISION,
  gate,
  decision: 'Overridden',
  by: 'alice',
  createdAt: START,
  endsAt,
});

describe('an analysis', () => {
  it('holds later groups until the group has passed `count` measurements, each due by the clock', () => {
    const pass = rollout([analysis()]);
    const first = pass(START);
    expect([held(first), first.holdsCompletion]).toEqual(['p1,p2', true]);
    expect(first.analysis).toEqual([
      { name: 'p/errors', group: 'canary', revision: REVISION, admittedAt: toTime(START - MINUTE), since: toTime(START) },
    ]);
    expect(first.measurements).toMatchObject([
      { gate: 'p/errors', group: 'canary', look: 0, dueAt: START + 5 * MINUTE, peers: ['p1', 'p2'] },
    ]);
    expect(first.recheckAt).toBe(START + 5 * MINUTE);
    const due = pass(START + 5 * MINUTE);
    expect([due.measurements[0]?.dueAt, due.recheckAt]).toEqual([START + 5 * MINUTE, undefined]);
    const one = pass(START + 5 * MINUTE + 1000, { taken: [answer(due.measurements[0], 0.01, START + 5 * MINUTE)] });
    expect(one.measurements).toMatchObject([{ look: 1, dueAt: START + 6 * MINUTE + TIME_ROUNDING_MS }]);
    expect([held(one), one.waitingFor[0]?.message]).toEqual(['p1,p2', 'measuring: 1 of 2 measurements; the last: 0.01']);
    const two = pass(START + 6 * MINUTE, { taken: [answer(one.measurements[0], 0.02, START + 6 * MINUTE)] });
    expect([held(two), two.measurements, two.waitingFor, two.failure]).toEqual(['', [], [], undefined]);
    const last = pass(START + 7 * MINUTE, { groups: [CANARY, group('production', [])] });
    expect([last.holdsCompletion, last.analysis.map((state) => state.group)]).toEqual([true, ['production', 'canary']]);
  });

  it('counts each answer once', () => {
    const pass = rollout([analysis()]);
    pass(START);
    const { measurements } = pass(START + 5 * MINUTE);
    const taken = [answer(measurements[0], 0.01, START + 5 * MINUTE)];
    pass(START + 5 * MINUTE, { taken });
    expect(pass(START + 5 * MINUTE, { taken }).analysis).toMatchObject([{ passed: 1, failed: 0, inconclusive: 0 }]);
    const strange = taken.map((one) => ({ ...one, revision: REVISION + 1, look: 1 }));
    expect(pass(START + 5 * MINUTE, { taken: strange }).analysis).toMatchObject([{ passed: 1 }]);
  });

  it.each([
    ['fails', 0.5, 'Failed', '1 measurement failed, 0 may: 0.5: result < 0.1 does not hold'],
    ['is inconclusive', Number.NaN, 'Inconclusive', '1 measurement was inconclusive, the limit is 1: the query returned NaN'],
  ])('that %s holds all clusters', (_, value, result, message) => {
    const pass = rollout([analysis({ inconclusiveLimit: 1 })]);
    pass(START);
    const { measurements } = pass(START + 5 * MINUTE);
    const groups = [group('canary', ['c2'], { moved: ['c1'] }), PRODUCTION];
    pass(START + 5 * MINUTE, { taken: [answer(measurements[0], value, START)] });
    const verdict = pass(START + 6 * MINUTE, { groups });
    expect([verdict.failure, held(verdict), verdict.measurements]).toEqual([
      { gate: 'p/errors', group: 'canary', result, message },
      'c2,p1,p2',
      [],
    ]);
  });

  it.each([
    ['before', ['unclear', 'errors']],
    ['after', ['errors', 'unclear']],
  ])('that fails is reported although another one, listed %s it, is inconclusive', (_, names) => {
    const pass = rollout(names.map((name) => analysis({ name, inconclusiveLimit: 1 })));
    pass(START);
    const { measurements } = pass(START + 5 * MINUTE);
    const taken = measurements.map((due) => answer(due, due.gate === 'p/errors' ? 0.5 : Number.NaN, START + 5 * MINUTE));
    expect(pass(START + 5 * MINUTE, { taken }).failure).toMatchObject({ gate: 'p/errors', result: 'Failed' });
  });

  it('that is overridden holds nothing until the override ends', () => {
    const pass = rollout([analysis({ inconclusiveLimit: 1 })]);
    pass(START);
    const { measurements } = pass(START + 5 * MINUTE);
    pass(START + 5 * MINUTE, { taken: [answer(measurements[0], Number.NaN, START)] });
    const decisions = [override('p/errors', START + 20 * MINUTE)];
    const open = pass(START + 6 * MINUTE, { decisions });
    expect([held(open), open.failure, open.recheckAt]).toEqual(['', undefined, START + 20 * MINUTE]);
    expect(pass(START + 20 * MINUTE, { decisions }).failure).toMatchObject({ result: 'Inconclusive' });
  });

  it('that is retried starts over', () => {
    const pass = rollout([analysis()]);
    pass(START);
    const { measurements } = pass(START + 5 * MINUTE);
    pass(START + 5 * MINUTE, { taken: [answer(measurements[0], 0.5, START + 5 * MINUTE)] });
    const decisions: readonly GateDecision[] = [
      { ...override('p/errors', 0), decision: 'Retried', createdAt: START + 9 * MINUTE, endsAt: undefined },
    ];
    const again = pass(START + 10 * MINUTE, { decisions });
    expect([again.failure, again.measurements[0]?.look, again.measurements[0]?.dueAt]).toEqual([undefined, 0, START + 15 * MINUTE]);
  });

  it('that is retried starts over, although a later group started under an override', () => {
    const pass = rollout([analysis()]);
    pass(START);
    const { measurements } = pass(START + 5 * MINUTE);
    pass(START + 5 * MINUTE, { taken: [answer(measurements[0], 0.5, START + 5 * MINUTE)] });
    const groups = [CANARY, group('production', ['p2'], { admittedAt: toTime(START + 6 * MINUTE), moved: ['p1'] })];
    const overridden = override('p/errors', START + 7 * MINUTE);
    expect(held(pass(START + 6 * MINUTE, { groups, decisions: [overridden] }))).toBe('');
    expect(held(pass(START + 8 * MINUTE, { groups, decisions: [overridden] }))).toBe('p2');
    const retried: GateDecision = { ...overridden, decision: 'Retried', createdAt: START + 9 * MINUTE, endsAt: undefined };
    const again = pass(START + 10 * MINUTE, { groups, decisions: [overridden, retried] });
    expect([held(again), again.failure, again.measurements]).toMatchObject(['p2', undefined, [{ group: 'canary', look: 0 }]]);
  });

  it('with mode Observe is measured and holds nothing', () => {
    const pass = rollout([analysis({ mode: 'Observe' })]);
    expect(held(pass(START))).toBe('');
    const due = pass(START + 5 * MINUTE);
    expect(due.measurements).toMatchObject([{ dueAt: START + 5 * MINUTE }]);
    const failed = pass(START + 5 * MINUTE, { taken: [answer(due.measurements[0], 0.5, START)] });
    expect([held(failed), failed.failure, failed.holdsCompletion]).toEqual(['', undefined, false]);
    expect(failed.analysis).toMatchObject([{ failed: 1, result: 'Fail' }]);
  });

  it('is due only after every cluster of the group is admitted, and remembers the first admission', () => {
    const pass = rollout([analysis()]);
    const half = group('canary', ['c2'], { moved: ['c1'], admittedAt: toTime(START), isDone: false });
    const first = pass(START + MINUTE, { groups: [half, { ...PRODUCTION, isReached: false }] });
    expect([first.measurements, first.analysis]).toEqual([
      [],
      [{ name: 'p/errors', group: 'canary', revision: REVISION, admittedAt: toTime(START) }],
    ]);
    const all = pass(START + 10 * MINUTE);
    expect(all.analysis).toMatchObject([{ admittedAt: toTime(START) }]);
    expect(all.measurements).toMatchObject([{ comparedAt: {}, dueAt: START + 15 * MINUTE }]);
  });

  it('does not measure groups again whose state the record has dropped', () => {
    const names = Array.from({ length: 30 }, (_, i) => `g${i}`);
    const pass = rollout([analysis({ count: 1, initialDelay: '0s' })]);
    for (const [i, name] of names.entries()) {
      const groups = names.map((one, j) => group(one, j > i ? [`c-${one}`] : [], { isReached: j <= i, moved: [`c-${one}`] }));
      const due = pass(START + i * MINUTE, { groups });
      expect(due.measurements.map((one) => one.group)).toEqual([name]);
      const passed = pass(START + i * MINUTE, { groups, taken: [answer(due.measurements[0], 0.01, START)] });
      expect([passed.measurements, passed.analysis.length <= 20]).toEqual([[], true]);
    }
  });

  it('beside 20 others is more than the record can hold, so all clusters wait', () => {
    const many = Array.from({ length: 16 }, (_, i) => analysis({ name: `a${i}` }));
    const spec = { addOns: { selector: {} }, analysis: many };
    const policies = ['p', 'q'].map((name) =>
      compilePolicy({ apiVersion: 'outrigger.dev/v1alpha1', kind: 'RolloutPolicy', metadata: { name }, spec }),
    );
    const states: AnalysisState[] = [];
    const verdict = evaluateGates({
      policies,
      decisions: [],
      areDecisionsEnforced: true,
      isClockTrusted: true,
      rollout: { addOn: 'metrics', entry: 'default/all', revision: REVISION, createdAt: 0 },
      isWayBack: false,
      groups: [CANARY, PRODUCTION],
      before: { analysis: states },
      now: START,
    });
    expect([held(verdict), verdict.waitingFor[0]?.message]).toEqual(['p1,p2', expect.stringContaining('32 analyses govern the add-on')]);
  });
});
