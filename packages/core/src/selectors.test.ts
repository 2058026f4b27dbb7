import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  compileLabelSelector,
  type LabelSelector,
  type LabelSelectorRequirement,
  parseLabelSelector,
  selectorToString,
  validateLabelSelector,
} from './selectors.js';

describe('parseLabelSelector', () => {
  const labels = { app: 'web', tier: 'front', weight: '12', empty: '' };
  const cases: readonly [selector: string, want: boolean][] = [
    ['', true],
    ['app=web', true],
    ['app==web', true],
    ['app = web , tier=front', true],
    ['app=db', false],
    ['app!=db', true],
    ['app!=web', false],
    ['missing!=x', true],
    ['app in (db, web)', true],
    ['app in (db)', false],
    ['app notin (db)', true],
    ['missing notin (db)', true],
    ['app notin (web,db)', false],
    ['app', true],
    ['missing', false],
    ['!missing', true],
    ['! app', false],
    ['weight>11', true],
    ['weight>12', false],
    ['weight<13', true],
    ['app>1', false],
    ['missing<1', false],
    ['empty=', true],
    ['empty', true],
    ['app=,tier', false],
    ['empty in (,x)', true],
    ['empty in ()', true],
    ['app in (in,notin,web)', true],
    ['in!=x,notin!=y', true],
    ['app=web\t,\n tier in (front)', true],
  ];
  it.each(cases)('"%s" on the sample gives %s', (text, want) => expect(parseLabelSelector(text).matches(labels)).toBe(want));

  const errors: readonly [selector: string, message: string][] = [
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a=b,', "found '', expected: identifier after ','"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['a in x', "unable to parse requirement: found 'x' expected: '('"],
    ['a in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['!=x', "found '!=', expected: !, identifier, or 'end of string'"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['a=(x)', "unable to parse requirement: found '(', expected: identifier"],
    ['a>x', "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer"],
    ['a>9223372036854775808', "for 'Gt', 'Lt' operators, the value must be an integer"],
    ['-a=b', 'unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of alphanumeric characters'],
    ['a=-b', 'unable to parse requirement: values[0][a]: Invalid value: "-b": a valid label must be an empty string or consist of'],
    ['a\u0000=b', 'Invalid value'],
  ];
  it.each(errors)('refuses "%s" in the API server\'s words', (text, message) => expect(() => parseLabelSelector(text)).toThrow(message));

  it('treats absent labels as none and inherited properties as absent', () => {
    expect(parseLabelSelector('!a').matches(undefined)).toBe(true);
    expect(parseLabelSelector('constructor').matches({})).toBe(false);
    expect(parseLabelSelector('toString!=x').matches({})).toBe(true);
  });
});

describe('AT-53 the cost of a selector', () => {
  it.each(['(', '!', ',', '=', '><', 'a,', '!a,'])('is linear in its length: %j, repeated', (part) => {
    const text = `${part.repeat(2_000)}(`;
    const exec = vi.spyOn(RegExp.prototype, 'exec');
    try {
      expect(() => parseLabelSelector(text)).toThrow("found '");
      const matched = exec.mock.results.map(({ value }) => (value as RegExpExecArray | null)?.[0].length ?? 0);
      // A token has at most three matches: as a symbol of two characters, as an identifier and as a name. A pattern that matched the rest
      // of the text at each token would match millions of characters.
      expect(matched.length).toBeLessThanOrEqual(4 * text.length);
      expect(matched.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(4 * text.length);
    } finally {
      exec.mockRestore();
    }
  });
});

describe('compileLabelSelector', () => {
  it('an absent selector selects nothing, an empty one everything', () => {
    expect(compileLabelSelector(undefined).matches({})).toBe(false);
    expect(compileLabelSelector({}).matches({ a: 'b' })).toBe(true);
    expect(compileLabelSelector({}).isEmpty).toBe(true);
    expect(compileLabelSelector(undefined).isEmpty).toBe(false);
  });

  it('all parts must match', () => {
    const selector = compileLabelSelector({
      matchLabels: { a: '1' },
      matchExpressions: [
        { key: 'b', operator: 'In', values: ['2', '3'] },
        { key: 'c', operator: 'DoesNotExist' },
      ],
    });
    expect(selector.matches({ a: '1', b: '3' })).toBe(true);
    expect(selector.matches({ a: '1', b: '3', c: '' })).toBe(false);
    expect(selector.matches({ a: '1' })).toBe(false);
    expect(selector.toString()).toBe('a=1,b in (2,3),!c');
  });

  it('refuses unknown operators, including inherited property names', () => {
    const withOperator = (operator: string): LabelSelector => ({ matchExpressions: [{ key: 'a', operator } as never] });
    expect(() => compileLabelSelector(withOperator('Near'))).toThrow('"Near" is not a valid label selector operator');
    expect(() => compileLabelSelector(withOperator('constructor'))).toThrow('"constructor" is not a valid label selector operator');
  });
});

describe('validateLabelSelector', () => {
  it('reports every problem with its field', () => {
    const selector = {
      matchLabels: { 'a/b/c': 'x y' },
      matchExpressions: [
        { key: 'k', operator: 'In' },
        { key: 'k', operator: 'Exists', values: ['x'] },
        { key: '-', operator: 'Near' },
        { key: 'k', operator: 'NotIn', values: ['ok', '-'] },
      ],
    } as unknown as LabelSelector;
    expect(validateLabelSelector(selector, 'spec.selector').map(({ type, field }) => `${type} ${field}`)).toEqual([
      'Invalid spec.selector.matchLabels',
      'Invalid spec.selector.matchLabels',
      'Required spec.selector.matchExpressions[0].values',
      'Forbidden spec.selector.matchExpressions[1].values',
      'Invalid spec.selector.matchExpressions[2].operator',
      'Invalid spec.selector.matchExpressions[2].key',
      'Invalid spec.selector.matchExpressions[3].values[1]',
    ]);
  });
  it('finds nothing wrong with a good one', () => {
    expect(validateLabelSelector({ matchLabels: { 'x.io/a': 'b' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] }, 's')).toEqual(
      [],
    );
  });
});

describe('selectors, as laws', () => {
  const key = fc.constantFrom('a', 'b', 'x.io/c');
  const value = fc.constantFrom('1', '2', 'three', '');
  const expression: fc.Arbitrary<LabelSelectorRequirement> = fc.oneof(
    fc.record({ key, operator: fc.constantFrom('In' as const, 'NotIn' as const), values: fc.uniqueArray(value, { minLength: 1 }) }),
    fc.record({ key, operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const) }),
  );
  const selectors: fc.Arbitrary<LabelSelector> = fc.record({
    matchLabels: fc.dictionary(key, value),
    matchExpressions: fc.array(expression, { maxLength: 4 }),
  });
  const labels = fc.dictionary(key, value);

  it('the string form means the same, and is a fixed point', () => {
    fc.assert(
      fc.property(selectors, labels, (selector, set) => {
        const text = selectorToString(selector);
        const parsed = parseLabelSelector(text);
        expect(parsed.matches(set)).toBe(compileLabelSelector(selector).matches(set));
        expect(parsed.toString()).toBe(text);
      }),
    );
  });

  it('In and NotIn, Exists and DoesNotExist are opposites', () => {
    fc.assert(
      fc.property(key, fc.uniqueArray(value, { minLength: 1 }), labels, (k, values, set) => {
        const matches = (operator: LabelSelectorRequirement['operator'], vs?: string[]): boolean =>
          compileLabelSelector({ matchExpressions: [{ key: k, operator, ...(vs ? { values: vs } : {}) }] }).matches(set);
        expect(matches('In', values)).toBe(!matches('NotIn', values));
        expect(matches('Exists')).toBe(!matches('DoesNotExist'));
      }),
    );
  });

  it('parsing arbitrary text either throws an Error or gives a selector that prints and reads back', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'in', 'notin', ' ', ',', '(', ')', '!', '=', '>', '<', '1', '-', '.') }),
        (text) => {
          let printed: string;
          try {
            printed = parseLabelSelector(text).toString();
          } catch (error) {
            expect((error as Error).message).not.toBe('');
            return;
          }
          expect(parseLabelSelector(printed).toString()).toBe(printed);
        },
      ),
    );
  });
});
