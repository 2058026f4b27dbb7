import { describe, expect, it } from 'vitest';
import { isOverBudget, measurementsIn, table } from './measurements.js';

describe('benchmark measurements', () => {
  it('are the JSON lines of the output', () => {
    expect(measurementsIn('warming up\n{"name":"a","value":1,"unit":"ms"}\n\n')).toEqual([{ name: 'a', value: 1, unit: 'ms' }]);
  });
  it.each([
    { name: 'a cost below its budget', value: 9, unit: 'ms', budget: 10, over: false },
    { name: 'a cost above its budget', value: 11, unit: 'ms', budget: 10, over: true },
    { name: 'a rate above its budget', value: 11, unit: 'objects/s', budget: 10, over: false },
    { name: 'a rate below its budget', value: 9, unit: 'objects/s', budget: 10, over: true },
    { name: 'no budget', value: 9, unit: 'ms', over: false },
  ])('judge $name', ({ over, ...measurement }) => expect(isOverBudget(measurement)).toBe(over));
  it('are shown as a table', () => {
    const shown = table([
      { name: 'heap per record', value: 512.4, unit: 'bytes', budget: 600 },
      { name: 'list', value: 1234567, unit: 'objects/s', budget: 2000000 },
    ]);
    expect(shown.split('\n')).toEqual([
      'BENCHMARK            VALUE  UNIT          BUDGET',
      'heap per record        512  bytes            600',
      'list             1,234,567  objects/s  2,000,000  OVER',
      '',
    ]);
  });
});
