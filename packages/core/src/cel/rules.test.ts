import { RuleError } from '../schema/rule-error.js';
import { CostPool } from '../cost.js';
import { describe, expect, it } from 'vitest';
import type { StructuralSchema, ValidationRule } from '../schema/types.js';
import { createRuleCompiler } from './index.js';

const compiler = createRuleCompiler();
const schema: StructuralSchema = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    maxReplicas: { type: 'integer' },
    ratio: { type: 'number' },
    name: { type: 'string' },
    'dashed-name': { type: 'string' },
    'dot.ted/slash': { type: 'string' },
    __under: { type: 'string' },
    namespace: { type: 'string' },
    port: { 'x-kubernetes-int-or-string': true },
    deadline: { type: 'string', format: 'date-time' },
    timeout: { type: 'string', format: 'duration' },
    maybe: { type: 'string', nullable: true },
    tags: { type: 'array', items: { type: 'string' } },
    ports: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' }, number: { type: 'integer' } } } },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    anything: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};
const sample = {
  replicas: 3,
  maxReplicas: 5,
  ratio: 2,
  name: 'web',
  'dashed-name': 'd',
  'dot.ted/slash': 's',
  __under: 'u',
  namespace: 'n',
  port: 80,
  deadline: '2026-11-15T10:00:00Z',
  timeout: '90s',
  maybe: null,
  tags: ['a', 'b'],
  ports: [
    { name: 'http', number: 80 },
    { name: 'https', number: 443 },
  ],
  labels: { 'a.b/c': 'x', constructor: 'y' },
  anything: { a: 1 },
};

function check(rule: string | ValidationRule, self: unknown = sample, oldSelf?: unknown, isRoot = false): string | undefined {
  return compiler.compile(typeof rule === 'string' ? { rule } : rule, schema, { isRoot }).evaluate(self, oldSelf, new CostPool(10_000_000));
}

describe('rules that are true', () => {
  it.each([
    'self.replicas <= self.maxReplicas',
    'self.replicas / 2 == 1',
    'self.ratio / 4.0 == 0.5',
    'self.ratio > 1',
    'self.dashed__dash__name == "d"',
    'self.dot__dot__ted__slash__slash == "s"',
    'self.__underscores__under == "u"',
    'self.__namespace__ == "n"',
    'self.port == 80',
    'type(self.port) == int ? self.port < 100 : self.port.endsWith("%")',
    'self.deadline > timestamp("2026-01-01T00:00:00Z")',
    'self.timeout == duration("1m30s")',
    'self.maybe == null',
    'has(self.ports[0].name)',
    'self.ports.all(p, p.number > 0 && p.name.startsWith("http"))',
    'self.ports.exists_one(p, p.number == 443)',
    'self.ports.map(p, p.number) == [80, 443]',
    'self.tags.all(t, self.tags.exists_one(u, u == t))',
    '"a.b/c" in self.labels && self.labels["a.b/c"] == "x"',
    'self.labels.all(k, self.labels[k].size() == 1)',
    '!("toString" in self.labels)',
    'self.name.matches("^[a-z]+$")',
    'self == self',
    'self.ports == self.ports',
    'size(self.tags) == 2',
    'self.?name.orValue("none") == "web"',
  ])('%s', (rule) => expect(check(rule)).toBeUndefined());

  it('see apiVersion, kind and names of a whole object', () => {
    const object = { apiVersion: 'v1', kind: 'K', metadata: { name: 'x', labels: {} } };
    expect(check('self.metadata.name == "x" && self.kind == "K"', object, undefined, true)).toBeUndefined();
    expect(() => check('self.metadata.labels.size() == 0', object, undefined, true)).toThrow("undefined field 'labels'");
  });
});

describe('rules that are false report their message', () => {
  it('with the rule itself', () => expect(check('self.replicas\n  > 5')).toBe('failed rule: self.replicas > 5'));
  it('with their message', () => expect(check({ rule: 'false', message: 'no' })).toBe('no'));
  it('with an expressed message', () => {
    expect(check({ rule: 'false', message: 'no', messageExpression: '"at most " + string(self.maxReplicas)' })).toBe('at most 5');
  });
  it('with the fixed message if the message expression gives none', () => {
    expect(check({ rule: 'false', message: 'no', messageExpression: 'self.tags[7]' })).toBe('no');
    expect(check({ rule: 'false', message: 'no', messageExpression: '"  "' })).toBe('no');
    expect(check({ rule: 'false', message: 'no', messageExpression: '"a\\nb"' })).toBe('no');
  });
});

describe('transition rules', () => {
  it('are distinguished from other rules', () => {
    const uses = (rule: string): boolean => compiler.compile({ rule }, schema, { isRoot: false }).usesOldSelf;
    expect(uses('self.replicas >= oldSelf.replicas')).toBe(true);
    expect(uses('self.replicas > 0')).toBe(false);
    expect(uses('self.name != "oldSelf"')).toBe(false);
  });
  it('compare with the old value', () => {
    expect(check('self.replicas >= oldSelf.replicas', sample, { replicas: 2 })).toBeUndefined();
    expect(check('self.replicas >= oldSelf.replicas', sample, { replicas: 4 })).toMatch('failed rule');
    expect(check('self.name == oldSelf.name || self == oldSelf', sample, sample)).toBeUndefined();
  });
  it('may ask for the old value as an optional', () => {
    const rule = { rule: '!oldSelf.hasValue() || oldSelf.value().replicas <= self.replicas', optionalOldSelf: true };
    expect(check(rule, sample, undefined)).toBeUndefined();
    expect(check(rule, sample, { replicas: 9 })).toMatch('failed rule');
  });
});

describe('rules that do not compile', () => {
  it.each([
    ['self.replica > 1', "compilation failed: ERROR: <input>:1:5: undefined field 'replica'\n | self.replica > 1\n | ....^"],
    ['frobnicate(self.name)', "ERROR: <input>:1:11: undeclared reference to 'frobnicate' (in container '')"],
    ['self.replicas == "3"', "ERROR: <input>:1:15: found no matching overload for '_==_' applied to '(int, string)'"],
    ['self.replicas + 1.5 > 2.0', "found no matching overload for '_+_' applied to '(int, double)'"],
    ['self.replicas', 'cel expression must evaluate to a bool'],
    ['self.replicas >', 'Syntax error'],
    ['other.x', "undeclared reference to 'other'"],
    ['self.name.frobnicate()', "found no matching overload for 'frobnicate' applied to 'string.()'"],
    ['self.anything.a == 1', "undefined field 'a'"],
    ['self.name.all(x, true)', "expression of type 'string' cannot be range of a comprehension"],
    ['self.ports.all(p, p.nam == "x")', "undefined field 'nam'"],
    ['self.name.matches("(")', 'ERROR: <input>:1:19: invalid regular expression "("'],
    ['self.replicas in [1, "a"]', "ERROR: <input>:1:22: expected type 'int' but found 'string'"],
    ['{"a": 1, "b": "c"}.size() == 2', "expected type 'int' but found 'string'"],
    ['', 'an expression is required'],
  ])('%s', (rule, message) => expect(() => check(rule)).toThrow(message));
  it('message expressions are checked as well', () => {
    expect(() => check({ rule: 'true', messageExpression: '1' })).toThrow(
      new RuleError('messageExpression', 'messageExpression must evaluate to a string'),
    );
  });
});

describe('rules that fail while they run', () => {
  it('name the rule and the reason', () => {
    expect(() => check('self.replicas > 1', {})).toThrow('rule evaluation error: no such key: replicas: rule: self.replicas > 1');
    expect(() => check('self.replicas / 0 == 1')).toThrow('division by zero');
    expect(() => check('self.replicas * 9223372036854775807 > 0')).toThrow('integer overflow');
    expect(() => check('self.name.matches(self.tags[0] + "(")')).toThrow('rule evaluation error: invalid regular expression "a("');
    expect(() => check('self.replicas > 1', { replicas: 1.5 })).toThrow('invalid data, expected type integer, found number');
    expect(() => check('self.name == "x"', 'not an object')).toThrow('invalid data, expected type object, found string');
  });

  const bombs: readonly [name: string, rule: string][] = [
    ['nested loops', 'self.big.all(a, self.big.all(b, self.big.all(c, self.big.all(d, true))))'],
    [
      'texts that double',
      `${Array.from({ length: 60 }, (_, i) => `[x${i} + x${i}].all(x${i + 1}, `).join('')}true${')'.repeat(60)}`.replace(
        'x0 + x0',
        '"xxxxxxxxxx" + "xxxxxxxxxx"',
      ),
    ],
    [
      'lists that double',
      `${Array.from({ length: 60 }, (_, i) => `[x${i} + x${i}].all(x${i + 1}, `).join('')}true${')'.repeat(60)}`.replace(
        'x0 + x0',
        'self.big + self.big',
      ),
    ],
    ['comparing large values in a loop', 'self.big.all(a, self.big == self.big.map(e, e))'],
    ['errors hidden by a disjunction', 'self.big.all(a, self.big.all(b, self.big.all(c, self.big.all(d, true)))) || true'],
    ['regular expressions in a loop', 'self.big.all(a, self.text.matches("^(a+)+$") || true)'],
  ];
  it.each(bombs)('stops %s', (_name, rule) => {
    const big: StructuralSchema = {
      type: 'object',
      properties: { big: { type: 'array', items: { type: 'integer' } }, text: { type: 'string' } },
    };
    const compiled = compiler.compile({ rule }, big, { isRoot: false });
    const self = { big: Array.from({ length: 2000 }, (_, i) => i), text: `${'a'.repeat(20_000)}!` };
    expect(() => compiled.evaluate(self, undefined, new CostPool(10_000_000))).toThrow('call cost exceeded the limit');
  });
});
