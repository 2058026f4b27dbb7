import { type Metrics, noMetrics, type Projected } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Resource } from '../resource.js';
import { TallyGauge, tally } from './tally.js';

interface Item extends Projected {
  readonly color: string;
  readonly weight: number;
}

const items = { name: 'items' } as unknown as Resource<Item>;
const byColor = tally<Item, 'color'>({
  resource: items,
  gauge: { name: 'outrigger_test', help: '', labels: ['color'] },
  series: ({ color, weight }) => (color === '' ? [] : [{ labels: { color }, value: weight }]),
});

function item(color: string, weight: number): Item {
  return { key: { name: 'x' }, uid: 'u', resourceVersion: '1', color, weight };
}

/** The series that a scrape would show. */
function shown(): { readonly metrics: Metrics; readonly series: Map<string, number> } {
  const series = new Map<string, number>();
  const fake: Metrics['gauge'] = () => ({
    set: (labels, value) => void series.set(Object.values(labels).join(), value),
    remove: (labels) => void series.delete(Object.values(labels).join()),
  });
  return { metrics: { ...noMetrics, gauge: fake }, series };
}

describe('a tally', () => {
  it('sums the projections by their labels and removes a series with its last projection', () => {
    const { metrics, series } = shown();
    const gauge = new TallyGauge(byColor, metrics);
    gauge.apply({ before: undefined, after: item('red', 1) });
    gauge.apply({ before: undefined, after: item('red', 2) });
    expect([...series]).toEqual([['red', 3]]);
    gauge.apply({ before: item('red', 1), after: item('blue', 1) });
    expect([...series]).toEqual([
      ['red', 2],
      ['blue', 1],
    ]);
    gauge.apply({ before: item('red', 2), after: undefined });
    expect([...series]).toEqual([['blue', 1]]);
  });

  it('shows a series of value 0 as long as a projection belongs to it', () => {
    const { metrics, series } = shown();
    const gauge = new TallyGauge(byColor, metrics);
    gauge.apply({ before: undefined, after: item('red', 0) });
    expect([...series]).toEqual([['red', 0]]);
  });

  it('shows the least value of the projections, after any history of changes', () => {
    const projection = fc.option(fc.record({ color: fc.constantFrom('', 'red', 'blue'), weight: fc.nat(3) }), { nil: undefined });
    const history = fc.array(fc.record({ slot: fc.nat(4), after: projection }), { maxLength: 60 });
    fc.assert(
      fc.property(history, (changes) => {
        const { metrics, series } = shown();
        const gauge = new TallyGauge({ ...byColor, isLeast: true }, metrics);
        const slots = new Map<number, Item | undefined>();
        for (const { slot, after } of changes) {
          const next = after && item(after.color, after.weight);
          gauge.apply({ before: slots.get(slot), after: next });
          slots.set(slot, next);
        }
        const expected = new Map<string, number>();
        for (const one of slots.values())
          if (one && one.color !== '') expected.set(one.color, Math.min(one.weight, expected.get(one.color) ?? Infinity));
        expect(series).toEqual(expected);
      }),
    );
  });

  it('shows the least of very many different values, at a cost per change that does not grow with their number', () => {
    const { metrics, series } = shown();
    const gauge = new TallyGauge({ ...byColor, isLeast: true }, metrics);
    for (let weight = 1; weight <= 30_000; weight++) gauge.apply({ before: undefined, after: item('red', weight) });
    expect([...series]).toEqual([['red', 1]]);
    gauge.apply({ before: item('red', 1), after: undefined });
    expect([...series]).toEqual([['red', 2]]);
  });

  it('equals a count over all projections after any history of changes', () => {
    const projection = fc.option(fc.record({ color: fc.constantFrom('', 'red', 'blue'), weight: fc.nat(3) }), { nil: undefined });
    const history = fc.array(fc.record({ slot: fc.nat(4), after: projection }), { maxLength: 60 });
    fc.assert(
      fc.property(history, (changes) => {
        const { metrics, series } = shown();
        const gauge = new TallyGauge(byColor, metrics);
        const slots = new Map<number, Item>();
        for (const { slot, after } of changes) {
          const next = after && item(after.color, after.weight);
          gauge.apply({ before: slots.get(slot), after: next });
          if (next) slots.set(slot, next);
          else slots.delete(slot);
        }
        const expected = new Map<string, number>();
        for (const { color, weight } of slots.values()) if (color !== '') expected.set(color, (expected.get(color) ?? 0) + weight);
        expect(new Map(series)).toEqual(expected);
      }),
    );
  });
});
