import type { AnalysisState, PolicyAnalysis } from '@outrigger/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnalysisGate, analysisStanding, compileAnalysis } from './analysis.js';
import { addMeasurement, withStates } from './analysis-states.js';
import { type Measured, type Series, judgeMeasurement, queryText } from './measurement.js';

const analysis = (rest: Partial<PolicyAnalysis> = {}): AnalysisGate =>
  compileAnalysis(
    { name: 'errors', provider: 'prometheus', query: 'up', interval: '1m', count: 3, success: 'result < 0.05', ...rest },
    'digest',
  );
const value = (number: number, cluster?: string): Series => ({ labels: cluster === undefined ? {} : { cluster }, value: number });
const measured = (series: readonly Series[], rest: Partial<Measured> = {}): Measured => ({
  now: { series },
  moved: ['c1', 'c2'],
  peers: [],
  comparedAt: {},
  analyses: 1,
  ...rest,
});

describe('one value', () => {
  it.each<[string, Measured, string]>([
    ['below the limit', measured([value(0.01)]), 'Pass'],
    ['above the limit', measured([value(0.5)]), 'Fail'],
    ['nothing', measured([]), 'Inconclusive'],
    ['not a number', measured([value(Number.NaN)]), 'Inconclusive'],
    ['infinite', measured([value(Number.POSITIVE_INFINITY)]), 'Inconclusive'],
    ['two series', measured([value(0.01), value(0.02)]), 'Inconclusive'],
    ['no answer', measured([], { now: { problem: 'timeout' } }), 'Inconclusive'],
  ])('%s', (_, input, want) => expect(judgeMeasurement(analysis(), input).result).toBe(want));

  it('an expression that fails for the value decides nothing', () => {
    expect(judgeMeasurement(analysis({ success: '[1][int(result)] == 1' }), measured([value(7)])).result).toBe('Inconclusive');
  });
});

describe('one value per cluster', () => {
  const each = analysis({ clusterFrom: 'cluster' });
  it.each<[string, Measured, string]>([
    ['all below', measured([value(0.01, 'c1'), value(0.02, 'c2')]), 'Pass'],
    ['one above', measured([value(0.01, 'c1'), value(0.2, 'c2')]), 'Fail'],
    ['a cluster of no concern above', measured([value(0.01, 'c1'), value(0.02, 'c2'), value(9, 'other')]), 'Pass'],
    ['one missing', measured([value(0.01, 'c1')]), 'Inconclusive'],
    ['one not a number', measured([value(0.01, 'c1'), value(Number.NaN, 'c2')]), 'Inconclusive'],
    ['one missing, one above', measured([value(0.9, 'c1')]), 'Fail'],
    ['two series for one cluster', measured([value(0.01, 'c1'), value(0.01, 'c1'), value(0.01, 'c2')]), 'Inconclusive'],
    ['a series without the label', measured([value(0.01), value(0.01, 'c2')]), 'Inconclusive'],
  ])('%s', (_, input, want) => expect(judgeMeasurement(each, input).result).toBe(want));
});

describe('compared with clusters on the old revision', () => {
  const compare = { worse: 'Higher' as const, tolerance: '0.02', confidence: '0.99', minSamples: 3 };
  const compared = analysis({ clusterFrom: 'cluster', compare, count: 1 });
  const { success: _, ...withoutSuccess } = compared;
  const only: AnalysisGate = { ...withoutSuccess, success: undefined };
  const names = (prefix: string, count: number): readonly string[] => Array.from({ length: count }, (__, i) => `${prefix}${i}`);
  /** Moved clusters whose value rises by `rise`, and as many peers whose value does not change. */
  const fleet = (size: number, rise: number): Measured => {
    const [moved, peers] = [names('m', size), names('p', size)];
    const at = (change: number): readonly Series[] => [
      ...moved.map((cluster, i) => value(0.01 + i / 10_000 + change, cluster)),
      ...peers.map((cluster, i) => value(0.01 + i / 10_000, cluster)),
    ];
    const comparedAt = Object.fromEntries([...moved, ...peers].map((cluster) => [cluster, 7]));
    return measured(at(rise), { before: [{ at: 7, answer: { series: at(0) } }], comparedAt, moved, peers });
  };
  /**
   * Half of the clusters are admitted at time 1, the others at time 2. Between these times the values of all clusters rise by 1. There are
   * no peers, so each cluster is compared with its own earlier value.
   */
  const drifting = (size: number, rise: number): Measured => {
    const moved = names('m', size);
    const at = (change: (i: number) => number): readonly Series[] => moved.map((cluster, i) => value(0.01 + change(i), cluster));
    const isEarly = (i: number): boolean => i < size / 2;
    const before = [
      { at: 1, answer: { series: at(() => 0) } },
      { at: 2, answer: { series: at(() => 1) } },
    ];
    const comparedAt = Object.fromEntries(moved.map((cluster, i) => [cluster, isEarly(i) ? 1 : 2]));
    // Relative to the values at time 1, the current values are `rise` for the clusters that were admitted first and `1 + rise` for the
    // others.
    return measured(
      at((i) => (isEarly(i) ? 0 : 1) + rise),
      { before, comparedAt, moved, peers: [] },
    );
  };
  it.each<[string, AnalysisGate, Measured, string]>([
    ['flat', only, fleet(12, 0), 'Pass'],
    ['worse', only, fleet(12, 0.5), 'Fail'],
    ['three clusters cannot decide', only, fleet(3, 0), 'Inconclusive'],
    ['three clusters and success: success decides', compared, fleet(3, 0), 'Pass'],
    ['worse than the limit of success too', compared, fleet(12, 0.5), 'Fail'],
    ['flat, and above the limit of success', { ...compared, success: 'result < 0.001' }, fleet(12, 0), 'Fail'],
    ['no values from before', only, { ...fleet(12, 0), before: [{ at: 7, answer: { problem: 'timeout' } }] }, 'Inconclusive'],
    ['values of one time are missing', only, { ...drifting(12, 0), before: drifting(12, 0).before?.slice(1) ?? [] }, 'Inconclusive'],
    ['all values rise before the last admissions', only, drifting(12, 0), 'Pass'],
    ['all values rise before the last admissions, and moved clusters are worse', only, drifting(12, 0.5), 'Fail'],
    [
      'series of moved clusters vanished',
      only,
      { ...fleet(12, 0), now: { series: names('p', 12).map((one) => value(0.01, one)) } },
      'Fail',
    ],
  ])('%s', (__, one, input, want) => expect(judgeMeasurement(one, input).result).toBe(want));
});

describe('queries', () => {
  it('replace their variables, escaped', () => {
    const text = queryText('up{addon="{{ADDON}}",revision="{{REVISION}}",entry="{{ENTRY}}"}', {
      addOn: 'm',
      revision: 7,
      entry: 'a"} or up{x="\\',
    });
    expect(text).toBe('up{addon="m",revision="7",entry="a\\"} or up{x=\\"\\\\"}');
  });

  it('keep every value inside its string', () => {
    fc.assert(
      fc.property(fc.string(), (entry) => {
        const inside = queryText('"{{ENTRY}}"', { addOn: '', revision: 1, entry }).slice(1, -1);
        // An unescaped quote would end the PromQL string.
        expect(/^(?:[^"\\\n]|\\[^\n])*$/.test(inside)).toBe(true);
      }),
    );
  });
});

describe('the record of measurements', () => {
  const key = { name: 'p/errors', group: 'canary', revision: 7 };
  type Result = 'Pass' | 'Fail' | 'Inconclusive';
  const after = (...results: readonly Result[]) =>
    results.reduce<AnalysisState>((state, result) => addMeasurement(state, { result, message: result }, 0), key);
  it.each<[string, AnalysisGate, readonly Result[], string]>([
    ['none', analysis(), [], 'Measuring'],
    ['fewer than count', analysis(), ['Pass', 'Pass'], 'Measuring'],
    ['count', analysis(), ['Pass', 'Pass', 'Pass'], 'Passed'],
    ['inconclusive ones do not count', analysis(), ['Pass', 'Inconclusive', 'Pass'], 'Measuring'],
    ['one failure', analysis(), ['Pass', 'Fail'], 'Failed'],
    ['a tolerated failure', analysis({ failureLimit: 1 }), ['Pass', 'Fail', 'Pass'], 'Passed'],
    ['more failures than tolerated', analysis({ failureLimit: 1 }), ['Fail', 'Fail'], 'Failed'],
    ['inconclusive to the limit', analysis({ inconclusiveLimit: 2 }), ['Inconclusive', 'Inconclusive'], 'Inconclusive'],
  ])('%s', (_, one, results, want) => expect(analysisStanding(one, after(...results))).toBe(want));

  it('keeps the latest 20 analyses', () => {
    let states: readonly AnalysisState[] = [];
    for (let i = 0; i < 30; i++) states = withStates(states, [{ ...key, group: `g${i}` }]);
    states = withStates(states, [{ ...key, group: 'g20', passed: 1 }]);
    expect(states).toHaveLength(20);
    expect(states.slice(0, 2).map(({ group }) => group)).toEqual(['g20', 'g29']);
  });
});
