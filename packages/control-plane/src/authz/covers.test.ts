import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactRules, describeRule, uncovered } from './covers.js';
import type { PolicyRule } from './policy.js';
import { ruleAllows, type Target } from './rules.js';

const rule = (verbs: string[], resources: string[], resourceNames?: string[]): PolicyRule => ({
  verbs,
  apiGroups: ['apps'],
  resources,
  ...(resourceNames ? { resourceNames } : {}),
});

describe('covering', () => {
  const cases: { name: string; held: PolicyRule[]; wanted: PolicyRule[]; missing: string[] }[] = [
    { name: 'nothing is covered by anything', held: [], wanted: [], missing: [] },
    { name: 'a rule covers itself', held: [rule(['get'], ['x'])], wanted: [rule(['get'], ['x'])], missing: [] },
    { name: 'a star covers all', held: [rule(['*'], ['*'])], wanted: [rule(['get', 'list'], ['x', 'y/z'], ['a'])], missing: [] },
    {
      name: 'one right may come from several rules',
      held: [rule(['get'], ['x']), rule(['list'], ['x'])],
      wanted: [rule(['get', 'list'], ['x'])],
      missing: [],
    },
    {
      name: 'a star is not covered by a list, however long',
      held: [rule(['get', 'list', 'watch'], ['x'])],
      wanted: [rule(['*'], ['x'])],
      missing: ['{APIGroups:["apps"], Resources:["x"], Verbs:["*"]}'],
    },
    {
      name: 'rights on one name do not cover rights on all',
      held: [rule(['get'], ['x'], ['a'])],
      wanted: [rule(['get'], ['x'])],
      missing: ['{APIGroups:["apps"], Resources:["x"], Verbs:["get"]}'],
    },
    {
      name: 'rights on all cover rights on one name',
      held: [rule(['get'], ['x'])],
      wanted: [rule(['get'], ['x'], ['a'])],
      missing: [],
    },
    { name: '*/scale covers x/scale', held: [rule(['get'], ['*/scale'])], wanted: [rule(['get'], ['x/scale'])], missing: [] },
    {
      name: 'missing rules are listed by resource, with their verbs together',
      held: [rule(['get'], ['x'])],
      wanted: [rule(['get', 'list', 'delete'], ['x', 'y'])],
      missing: [
        '{APIGroups:["apps"], Resources:["x"], Verbs:["list" "delete"]}',
        '{APIGroups:["apps"], Resources:["y"], Verbs:["get" "list" "delete"]}',
      ],
    },
    {
      name: 'URLs are covered by a longer star',
      held: [{ verbs: ['get'], nonResourceURLs: ['/api*'] }],
      wanted: [{ verbs: ['get', 'post'], nonResourceURLs: ['/apis/apps'] }],
      missing: ['{NonResourceURLs:["/apis/apps"], Verbs:["post"]}'],
    },
  ];
  it.each(cases)('$name', ({ held, wanted, missing }) => {
    expect(compactRules(uncovered(held, wanted)).map(describeRule)).toEqual(missing);
  });

  const word = (...words: string[]) => fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 });
  const anyRule: fc.Arbitrary<PolicyRule> = fc.record({
    verbs: word('get', 'list', '*'),
    apiGroups: word('', 'apps', '*'),
    resources: word('x', 'y', 'x/s', '*/s', '*'),
    resourceNames: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  });
  const anyTarget: fc.Arbitrary<Target> = fc.record({
    verb: fc.constantFrom('get', 'list', 'watch'),
    apiGroup: fc.constantFrom('', 'apps', 'other'),
    resource: fc.constantFrom('x', 'y', 'z'),
    subresource: fc.constantFrom('', 's', 't'),
    name: fc.constantFrom('', 'a', 'b', 'c'),
  });
  const rules = fc.array(anyRule, { maxLength: 4 });

  it('a user who covers a role may send all requests that it allows', () => {
    fc.assert(
      fc.property(rules, rules, anyTarget, (held, wanted, target) => {
        if (uncovered(held, wanted).length > 0) return;
        if (wanted.some((one) => ruleAllows(one, target))) expect(held.some((one) => ruleAllows(one, target))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('rules cover themselves, and more rules never cover less', () => {
    fc.assert(
      fc.property(rules, rules, rules, (a, b, wanted) => {
        expect(uncovered(a, a)).toEqual([]);
        expect(uncovered([...a, ...b], wanted).length).toBeLessThanOrEqual(uncovered(a, wanted).length);
      }),
    );
  });
});

describe('AT-54 rules whose lists multiply', () => {
  const names = (prefix: string): string[] => Array.from({ length: 1000 }, (_, i) => `${prefix}${i}`);
  const broad = { apiGroups: names('g'), resources: names('r'), verbs: names('v'), resourceNames: names('n') };

  it('are refused as a whole, without a comparison of each combination', () => {
    expect(uncovered([{ apiGroups: ['g0'], resources: ['r0'], verbs: ['*'] }], [broad])).toEqual([broad]);
  });
  it('are granted if one held rule covers them', () => {
    expect(uncovered([{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }], [broad])).toEqual([]);
    expect(uncovered([broad], [{ ...broad, verbs: names('v').slice(0, 10) }])).toEqual([]);
  });
});
