import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatFilter, parseFilter, type Term, toggleTerm } from './parse.js';

const term = (key: string | undefined, ...values: string[]): Term => ({ key, comparison: '=', values, isNegated: false });

describe('parseFilter', () => {
  test.each<[string, Term[]]>([
    ['', []],
    ['   ', []],
    ['eu-prod', [term(undefined, 'eu-prod')]],
    ['addon:metrics state:failed', [term('addon', 'metrics'), term('state', 'failed')]],
    ['state:failed,degraded', [term('state', 'failed', 'degraded')]],
    ['label:region=eu', [term('label', 'region=eu')]],
    ['version:<2.0', [{ ...term('version', '2.0'), comparison: '<' }]],
    ['version:>=v1', [{ ...term('version', 'v1'), comparison: '>=' }]],
    ['-state:available', [{ ...term('state', 'available'), isNegated: true }]],
    ['reason:"Image pull: back off"', [term('reason', 'Image pull: back off')]],
    ['"never closed', [term(undefined, 'never closed')]],
    ['state:', []],
    ['state:,,', []],
    ['-', [term(undefined, '-')]],
    ['Key:value', [term(undefined, 'Key:value')]],
    [':x', [term(undefined, ':x')]],
  ])('%j', (text, terms) => {
    expect(parseFilter(text)).toEqual(terms);
  });

  test('reads back the text it writes', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const terms = parseFilter(text);
        expect(parseFilter(formatFilter(terms))).toEqual(terms);
      }),
    );
  });

  test('reads back any values without quotes in them', () => {
    const value = fc.string({ minLength: 1 }).map((text) => text.replaceAll(/["\s]/g, '_'));
    const terms = fc.array(
      fc.record<Term>({
        key: fc.constantFrom('addon', 'state', 'label', 'version'),
        comparison: fc.constantFrom('=', '<', '<=', '>', '>='),
        values: fc.array(value, { minLength: 1, maxLength: 3 }),
        isNegated: fc.boolean(),
      }),
    );
    fc.assert(
      fc.property(terms, (wanted) => {
        expect(parseFilter(formatFilter(wanted))).toEqual(wanted);
      }),
    );
  });
});

describe('toggleTerm', () => {
  test.each([
    ['', 'state', 'failed', 'state:failed'],
    ['state:failed', 'state', 'failed', ''],
    ['state:waiting eu', 'state', 'failed', 'eu state:failed'],
    ['label:a=1', 'label', 'b=2', 'label:a=1 label:b=2'],
    ['label:a=1 label:b=2', 'label', 'a=1', 'label:b=2'],
  ])('%j with %s:%s is %j', (text, key, value, result) => {
    expect(toggleTerm(text, key, value)).toBe(result);
  });
});
