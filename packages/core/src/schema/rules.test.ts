import { describe, expect, it } from 'vitest';
import { compileSchema, fieldErrorText, type RuleCompiler, type StructuralSchema, type ValidationRule } from './index.js';

/** The rules are implemented as functions, because these tests check when and where rules are evaluated, not the language. */
const LANGUAGE: Readonly<Record<string, (self: never, oldSelf: never) => boolean>> = {
  'lo <= hi': (self: { lo: number; hi: number }) => self.lo <= self.hi,
  'not bad': (self: string) => self !== 'bad',
  'oldSelf same': (self: unknown, oldSelf: unknown) => self === oldSelf,
  'oldSelf or new': (self: string, oldSelf: string | undefined) => oldSelf !== undefined || self === 'new',
  explodes: () => {
    throw new Error('no such key: x');
  },
};
const rules: RuleCompiler = {
  compile: (rule) => ({
    usesOldSelf: rule.rule.includes('oldSelf'),
    evaluate(self, oldSelf) {
      const holds = LANGUAGE[rule.rule] as (self: unknown, oldSelf: unknown) => boolean;
      return holds(self, oldSelf) ? undefined : (rule.message ?? `failed rule: ${rule.rule}`);
    },
  }),
};

const withRule = (schema: StructuralSchema, ...list: ValidationRule[]): StructuralSchema => ({
  ...schema,
  'x-kubernetes-validations': list,
});
const text: StructuralSchema = { type: 'string' };
const range = (rule: Partial<ValidationRule> = {}): StructuralSchema =>
  withRule(
    { type: 'object', properties: { lo: { type: 'integer' }, hi: { type: 'integer' } } },
    { rule: 'lo <= hi', message: 'lo above hi', ...rule },
  );
const root = (properties: Record<string, StructuralSchema>): StructuralSchema => ({ type: 'object', properties });

function errors(schema: StructuralSchema, value: unknown, old?: unknown): string[] {
  return compileSchema(schema, { rules, isResource: false }).validate(value, old).map(fieldErrorText);
}

describe('validation rules', () => {
  const crossed = { lo: 2, hi: 1 };
  const cases: [string, StructuralSchema, unknown, unknown, string[]][] = [
    ['an object is reported without its value', root({ r: range() }), { r: crossed }, undefined, ['r: Invalid value: lo above hi']],
    [
      'a scalar is reported with its value',
      root({ s: withRule(text, { rule: 'not bad' }) }),
      { s: 'bad' },
      undefined,
      ['s: Invalid value: "bad": failed rule: not bad'],
    ],
    [
      'a rule may name the field and the reason',
      root({ r: range({ fieldPath: '.lo', reason: 'FieldValueForbidden' }) }),
      { r: crossed },
      undefined,
      ['r.lo: Forbidden: lo above hi'],
    ],
    [
      'items have paths of their own',
      root({ l: { type: 'array', items: range() } }),
      { l: [{ lo: 1, hi: 2 }, crossed] },
      undefined,
      ['l[1]: Invalid value: lo above hi'],
    ],
    [
      'members of maps are named by key',
      root({ m: { type: 'object', additionalProperties: range() } }),
      { m: { 'a/b': crossed } },
      undefined,
      ['m[a/b]: Invalid value: lo above hi'],
    ],
    ['null has no rules', root({ r: { ...range(), nullable: true } }), { r: null }, undefined, []],
    [
      'a rule that fails to evaluate is an error',
      root({ s: withRule(text, { rule: 'explodes' }) }),
      { s: 'x' },
      undefined,
      ['s: Invalid value: "string": no such key: x evaluating rule: explodes'],
    ],
    ['a transition rule rests on create', root({ s: withRule(text, { rule: 'oldSelf same' }) }), { s: 'x' }, undefined, []],
    [
      'a transition rule compares on update',
      root({ s: withRule(text, { rule: 'oldSelf same', message: 'immutable' }) }),
      { s: 'x' },
      { s: 'y' },
      ['s: Invalid value: "x": immutable'],
    ],
    ['a transition rule rests where the old value is absent', root({ s: withRule(text, { rule: 'oldSelf same' }) }), { s: 'x' }, {}, []],
    [
      'optionalOldSelf makes it speak on create',
      root({ s: withRule(text, { rule: 'oldSelf or new', optionalOldSelf: true, message: 'must start new' }) }),
      { s: 'x' },
      undefined,
      ['s: Invalid value: "x": must start new'],
    ],
    [
      'what broke a rule before and is unchanged is tolerated',
      root({ r: range(), s: text }),
      { r: crossed, s: 'y' },
      { r: crossed, s: 'x' },
      [],
    ],
    [
      'what changed and breaks a rule is not',
      root({ r: range() }),
      { r: { lo: 3, hi: 1 } },
      { r: crossed },
      ['r: Invalid value: lo above hi'],
    ],
  ];
  it.each(cases)('%s', (_, schema, value, old, want) => expect(errors(schema, value, old)).toEqual(want));

  it('items of a list of type map meet their old selves by key, wherever they moved', () => {
    const items: StructuralSchema = {
      type: 'object',
      properties: { k: text, v: withRule({ type: 'integer' }, { rule: 'oldSelf same', message: 'fixed' }) },
    };
    const schema = root({ rows: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items } });
    const old = {
      rows: [
        { k: 'a', v: 1 },
        { k: 'b', v: 2 },
      ],
    };
    expect(
      errors(
        schema,
        {
          rows: [
            { k: 'b', v: 2 },
            { k: 'a', v: 5 },
            { k: 'c', v: 9 },
          ],
        },
        old,
      ),
    ).toEqual(['rows[1].v: Invalid value: 5: fixed']);
  });

  it('a rule that costs too much ends the evaluation of all others', () => {
    const spent: RuleCompiler = {
      compile: () => ({
        usesOldSelf: false,
        evaluate() {
          throw new Error('rule x', {
            cause: Object.assign(new Error('operation cancelled: actual cost limit exceeded'), { name: 'CelBudgetError' }),
          });
        },
      }),
    };
    const schema = root({ a: withRule(text, { rule: 'x' }), b: withRule(text, { rule: 'y' }) });
    expect(compileSchema(schema, { rules: spent }).validate({ a: '1', b: '2' }).map(fieldErrorText)).toEqual([
      'a: Invalid value: "string": \'operation cancelled: actual cost limit exceeded\': no further validation rules will be run due to call cost exceeds limit for rule: x',
    ]);
  });

  it('rules are not evaluated on an object that is invalid otherwise', () => {
    expect(errors(root({ r: range(), s: text }), { r: crossed, s: 5 })).toEqual([
      's: Invalid value: "integer": s in body must be of type string: "integer"',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
  });

  it('a write to status is validated below status, with rules of the whole object', () => {
    const status: StructuralSchema = { type: 'object', properties: { n: { type: 'integer', maximum: 3 }, r: range() } };
    const schema = compileSchema(root({ status, spec: withRule(text, { rule: 'not bad' }) }), { rules });
    const found = schema
      .validateStatus({ spec: 'bad', status: { n: 9, r: crossed } }, { spec: 'ok', status: { n: 1 } })
      .map(fieldErrorText);
    expect(found.sort()).toEqual([
      'spec: Invalid value: "bad": failed rule: not bad',
      'status.n: Invalid value: 9: n in body should be less than or equal to 3',
      'status.r: Invalid value: lo above hi',
    ]);
  });
});
