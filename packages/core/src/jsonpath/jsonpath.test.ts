import fc from 'fast-check';
import { jsonpath as oracle } from 'json-p3';
import { CostPool } from '../cost.js';
import { describe, expect, it } from 'vitest';
import { compileJsonPath } from './compile.js';

const pool = (): CostPool => new CostPool(1_000_000);

const nodes = {
  kind: 'List',
  items: [
    {
      kind: 'Node',
      metadata: { name: '127.0.0.1', labels: { 'app.kubernetes.io/name': 'a', 'dash-ed': 'd' } },
      status: { capacity: { cpu: 4 }, addresses: [{ type: 'LegacyHostIP', address: '127.0.0.1' }], ready: true },
    },
    {
      kind: 'Node',
      metadata: { name: '127.0.0.2' },
      status: {
        capacity: { cpu: 8 },
        addresses: [
          { type: 'LegacyHostIP', address: '127.0.0.2' },
          { type: 'another', address: '127.0.0.3' },
        ],
        ready: false,
      },
    },
  ],
  users: [
    { name: 'myself', user: {} },
    { name: 'e2e', user: { username: 'admin', password: 'secret' } },
  ],
  numbers: [0, 1, 2, 3, 4, 5],
  nothing: null,
};

describe('print, as kubectl -o jsonpath', () => {
  const cases: readonly [template: string, want: string][] = [
    ['{.kind}', 'List'],
    ['kind is {.kind}', 'kind is List'],
    ['{$.kind}', 'List'],
    ['{@.kind}', 'List'],
    ['.kind', 'List'],
    ['kind', 'List'],
    ['{.items[*].metadata.name}', '127.0.0.1 127.0.0.2'],
    ['{.items[0].metadata.name}', '127.0.0.1'],
    ['{.items[-1].metadata.name}', '127.0.0.2'],
    ['{.items[-1:].metadata.name}', '127.0.0.2'],
    ['{.numbers[1:3]}', '1 2'],
    ['{.numbers[:2]}', '0 1'],
    ['{.numbers[4:]}', '4 5'],
    ['{.numbers[1:-1:2]}', '1 3'],
    ['{.numbers[2:2]}', ''],
    ['{.numbers[::2]}', '0 2 4'],
    ['{.numbers[0,2,-1]}', '0 2 5'],
    ["{.items[*]['metadata.name', 'status.capacity']}", '127.0.0.1 127.0.0.2 {"cpu":4} {"cpu":8}'],
    ["{.items[0]['kind']}", 'Node'],
    ['{..name}', '127.0.0.1 127.0.0.2 myself e2e'],
    ['{.items[*]..address}', '127.0.0.1 127.0.0.2 127.0.0.3'],
    ['{.users[?(@.name=="e2e")].user.password}', 'secret'],
    ["{.users[?(@.name=='e2e')].user.password}", 'secret'],
    ['{.users[?(@.name!="e2e")].name}', 'myself'],
    ['{.users[?(@.user.username)].name}', 'e2e'],
    ['{.items[?(@.status.capacity.cpu>4)].metadata.name}', '127.0.0.2'],
    ['{.items[?(@.status.capacity.cpu >= 4)].metadata.name}', '127.0.0.1 127.0.0.2'],
    ['{.items[?(@.status.capacity.cpu<8)].metadata.name}', '127.0.0.1'],
    ['{.items[?(@.status.capacity.cpu<=8)].metadata.name}', '127.0.0.1 127.0.0.2'],
    ['{.items[?(@.status.ready==true)].metadata.name}', '127.0.0.1'],
    ['{.items[*].status.addresses[?(@.type=="another")].address}', '127.0.0.3'],
    ['{.items[0].metadata.labels.app\\.kubernetes\\.io/name}', 'a'],
    ["{.items[0].metadata.labels['app\\.kubernetes\\.io/name']}", 'a'],
    ['{.items[0].metadata.labels.dash-ed}', 'd'],
    ['{range .items[*]}{.metadata.name}{"\\t"}{.status.capacity.cpu}{"\\n"}{end}', '127.0.0.1\t4\n127.0.0.2\t8\n'],
    ['{range .items[*]}[{.metadata.name}, {.status.capacity}] {end}', '[127.0.0.1, {"cpu":4}] [127.0.0.2, {"cpu":8}] '],
    ['{range .items[*]}{range .status.addresses[*]}{.address},{end};{end}.', '127.0.0.1,;127.0.0.2,127.0.0.3,;.'],
    ['{range .missing[*]}x{end}done', 'done'],
    ['{.missing}', ''],
    ['{.missing.further}', ''],
    ['{.kind.further}', ''],
    ['{.nothing}', 'null'],
    ['{.nothing[0]}', ''],
    ['{.users[0].user}', '{}'],
    ['{"}{"}{.kind}', '}{List'],
    ["{'quoted \\'text\\''}", "quoted 'text'"],
    ['{.numbers.*}', '0 1 2 3 4 5'],
    ['', ''],
  ];
  it.each(cases)('%s', (template, want) => expect(compileJsonPath(template).print(nodes, pool())).toBe(want));
});

describe('find', () => {
  it('gives values with their types, and no texts', () => {
    expect(compileJsonPath('.items[*].status.ready').find(nodes, pool())).toEqual([true, false]);
    expect(compileJsonPath('cpu: {.items[0].status.capacity}{"\\n"}').find(nodes, pool())).toEqual([{ cpu: 4 }]);
    expect(compileJsonPath('{range .users[*]}{.name}{end}').find(nodes, pool())).toEqual(['myself', 'e2e']);
  });
  it('may insist on fields', () => {
    expect(() => compileJsonPath('{.missing}', { allowMissingKeys: false }).find(nodes, pool())).toThrow(
      'JSONPath {.missing}: missing is not found',
    );
    expect(compileJsonPath('{.users[?(@.user.username)].name}', { allowMissingKeys: false }).find(nodes, pool())).toEqual(['e2e']);
  });
  it('sees own properties only', () => {
    expect(compileJsonPath('.constructor.name').find(nodes, pool())).toEqual([]);
    expect(compileJsonPath('.__proto__').find({}, pool())).toEqual([]);
    expect(compileJsonPath('.__proto__.a').find(JSON.parse('{"__proto__":{"a":1}}'), pool())).toEqual([1]);
    expect(compileJsonPath('.length').find([1, 2], pool())).toEqual([]);
  });
});

describe('errors name the path', () => {
  it.each([
    ['{.a', 'unclosed action'],
    ['{.a[0', 'unterminated array'],
    ['{.a[x]}', 'invalid array index x'],
    ['{.a[]}', 'invalid array index'],
    ['{.a[0:1:0]}', 'step must be > 0'],
    ['{.a[?(@.b=="x"]}', 'unterminated filter'],
    ['{.a[?(@.b=="x")}', 'unclosed array expect ]'],
    ['{.a[?(@.b=~"x")]}', 'unrecognized'],
    ['{"abc}', 'unterminated quoted string'],
    ['{....a}', 'invalid multiple recursive descent'],
    ['{end}', 'not in range, nothing to end'],
    ['{foo}', 'unrecognized identifier foo'],
    ['{.a|b}x{#}', 'unrecognized character in action'],
    ['x'.repeat(20_000), 'at most 16384'],
  ])('%s', (template, message) => expect(() => compileJsonPath(template)).toThrow(message));

  it.each([
    ['.numbers[9]', 'array index out of bounds: index 9, length 6'],
    ['.numbers[-9]', 'array index out of bounds: index -3, length 6'],
    ['.numbers[3:1]', 'starting index 3 is greater than ending index 1'],
    ['.kind[0]', 'is not array or slice'],
    ['.kind[?(@.x)]', 'cannot be filtered'],
    ['.users[?(@.name==3)]', 'incompatible types for comparison'],
    ['.items[?(@.status.ready<true)]', 'booleans have no order'],
  ])('%s, when used', (template, message) => expect(() => compileJsonPath(template).find(nodes, pool())).toThrow(message));
});

describe('bounds', () => {
  it('stops a path that visits too much', () => {
    const wide = { a: Array(1_000_001).fill(0) };
    expect(() => compileJsonPath('{.a[*].b}').find(wide, pool())).toThrow('visits more than 1000000 values');
  });
  it('stops on objects nested without end', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(() => compileJsonPath('{..x}').find(cycle, pool())).toThrow('nested deeper than 1000');
  });
  it('reading any text gives a path or an Error', () => {
    const unit = fc.constantFrom(
      '.',
      'a',
      '[',
      ']',
      '{',
      '}',
      '*',
      '?',
      '(',
      ')',
      '@',
      '$',
      '"',
      "'",
      '\\',
      ':',
      ',',
      '-',
      '1',
      ' ',
      '=',
      '<',
      'range ',
      'end',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), (text) => {
        try {
          compileJsonPath(text).print(nodes, pool());
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          expect((error as Error).message).toMatch(/^JSONPath/);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('against an independent implementation of RFC 9535', () => {
  it('gives the same result for paths that both dialects have', () => {
    const step = fc.oneof(
      fc.constantFrom('.a', '.b', '[*]', '..a', "['b']"),
      fc.integer({ min: 0, max: 2 }).map((from) => `[${from}:]`),
      fc.constantFrom('[?(@.a==1)]', '[?(@.b)]', '[?(@.a>1)]'),
    );
    const leaf = fc.constantFrom(1, 2, null);
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ depthSize: 'medium' }, leaf, tie('list'), tie('object')),
      list: fc.array(tie('any'), { minLength: 3, maxLength: 3 }),
      object: fc.record({ a: leaf, b: tie('any') }, { requiredKeys: [] }),
    })).any;
    let compared = 0;
    fc.assert(
      fc.property(value, fc.array(step, { minLength: 1, maxLength: 4 }), (object, steps) => {
        let found: unknown[];
        try {
          found = compileJsonPath(`{$${steps.join('')}}`).find(object, pool());
        } catch {
          return; // RFC 9535 has no type errors, so there is nothing to compare.
        }
        compared++;
        const want = oracle.query(`$${steps.join('').replaceAll(/\[\?\((.*?)\)\]/g, '[?$1]')}`, object as never).values();
        expect(new Set(found.map((v) => JSON.stringify(v)))).toEqual(new Set(want.map((v) => JSON.stringify(v))));
      }),
      { numRuns: 500 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});
