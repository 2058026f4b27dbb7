import { describe, expect, it } from 'vitest';
import { CostPool } from '../cost.js';
import { CelBudgetError, CelCompileError, CelEvaluationError, compileExpression } from './index.js';
import { KUBERNETES_LIBRARY } from './library/index.js';
import type { CelFunction } from './functions.js';
import type { CelType } from './types.js';

const LENGTH = 200_000;
const LIMIT = 100_000;

/** Strings for which a function once took much more time than its cost suggests, and similar strings. */
const TEXTS: Readonly<Record<string, string>> = {
  same: 'a'.repeat(LENGTH),
  almost: `b${'a'.repeat(LENGTH / 2)}`,
  digits: `${'1'.repeat(LENGTH)}x`,
  spaces: ` ${' '.repeat(LENGTH)}x`,
  clauses: '%s'.repeat(1000),
  pairs: 'https://a/?' + 'a&'.repeat(LENGTH / 2),
  host: `https://${'a:'.repeat(LENGTH / 2)}]`,
  labels: `${'a.'.repeat(LENGTH / 2)}-`,
  json: '['.repeat(900) + ']'.repeat(900),
  program: '(a{30}){30}(b|c?){90}$',
  repeated: '(a?){900}(aa?){900}$',
  unicode: '(\\pL{1,500}\\pN?){1,2}$',
  zone: 'Europe/Berlin',
  empty: '',
};

const values = {
  ...TEXTS,
  small: 'a',
  list: Array.from({ length: 1000 }, () => TEXTS['same']),
  lists: Array.from({ length: 300 }, () => Array<number>(300).fill(1)),
  map: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, i])),
  steps: Array.from({ length: 5000 }, (_, i) => i),
};
const variables = Object.fromEntries(Object.keys(values).map((name) => [name, 'dyn' as const]));

/** Returns argument expressions of a type, the most expensive first. */
function argumentsOf(type: CelType): readonly string[] {
  switch (type.kind) {
    case 'string':
      return Object.keys(TEXTS);
    case 'int':
      return ['-1', '100000'];
    case 'uint':
      return ['7u'];
    case 'double':
      return ['1e300'];
    case 'bool':
      return ['true'];
    case 'bytes':
      return ['bytes(same)'];
    case 'timestamp':
      return ['timestamp("2026-01-01T00:00:00Z")'];
    case 'duration':
      return ['duration("1h")'];
    case 'list':
      return ['list', 'lists', '[same, same]'];
    case 'map':
      return ['map'];
    case 'optional':
      return ['optional.of(list)'];
    case 'opaque':
      return OPAQUE[type.name] ?? [];
    default:
      return ['list', 'map', 'same'];
  }
}

const OPAQUE: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.Quantity': ['quantity("1e300")'],
  'kubernetes.Semver': ['semver("1.2.3-rc.1")'],
  'kubernetes.NamedFormat': ['format.dns1123Subdomain()', 'format.qualifiedName()', 'format.uri()', 'format.byte()', 'format.datetime()'],
  'net.URL': ['url(pairs)'],
  'net.IP': ['ip("::1")'],
  'net.CIDR': ['cidr("::/0")'],
};

/** Returns calls in which all arguments vary together, and calls in which one argument varies. */
function callsOf(fn: CelFunction): readonly string[] {
  const options = fn.params.map(argumentsOf);
  const count = Math.max(1, ...options.map(({ length }) => length));
  const together = Array.from({ length: count }, (_, i) => options.map((option) => option[i % option.length] as string));
  const shifted =
    options.length < 2
      ? []
      : Array.from({ length: count }, (_, i) => options.map((option, k) => option[(i * (k + 1) + k) % option.length] as string));
  const onLongest =
    options.length < 2
      ? []
      : Array.from({ length: count }, (_, i) =>
          options.map((option, k) => (k === 0 ? (option[0] as string) : (option[i % option.length] as string))),
        );
  return [...new Set([...together, ...shifted, ...onLongest].map((args) => callText(fn, args)))];
}

function callText({ name, isMember }: CelFunction, args: readonly string[]): string {
  const [first = '', ...rest] = args;
  if (/^_.+_$/.test(name)) return `(${first} ${name.slice(1, -1)} ${rest[0]})`;
  if (name.endsWith('_')) return `${name[0]}(${first})`;
  return isMember ? `${first}.${name}(${rest.join(', ')})` : `${name}(${args.join(', ')})`;
}

/**
 * Runs an expression until it ends or its budget is spent. Any error other than CelEvaluationError and CelBudgetError is a defect. Declares
 * only the variables that the expression may name, because each evaluation converts all declared variables.
 */
function isStopped(source: string, limit = LIMIT): boolean {
  const pool = new CostPool(limit);
  const named = Object.fromEntries(Object.entries(variables).filter(([name]) => source.includes(name)));
  try {
    compileExpression(source, { variables: named, costLimit: 10 * limit }).evaluate(values, pool);
  } catch (error) {
    if (error instanceof CelBudgetError) return true;
    if (!(error instanceof CelEvaluationError)) throw new Error(`${source}: ${String(error)}`, { cause: error });
  }
  return false;
}

describe('AT-53 each function of the library, with the worst arguments, at each step of a loop', () => {
  const functions = new Map(
    KUBERNETES_LIBRARY.map((fn) => [`${fn.isMember ? '.' : ''}${fn.name}/${fn.params.map(({ kind }) => kind).join(',')}`, fn]),
  );
  it.each([...functions])('%s ends within its budget', (_name, fn) => {
    for (const call of callsOf(fn)) isStopped(`steps.exists(i, dyn(${call}) == "never")`);
  });
});

describe('AT-53 operators, macros and results', () => {
  it.each([
    ['a search charges the product of both texts', 'steps.exists(i, same.contains(almost))'],
    ['a pattern charges text times program', 'same.matches(program)'],
    [
      'a pattern that expands is charged for its program, not its text',
      'small.matches("(x{30}){30}") || steps.all(i, !labels.matches("(x{30}){30}$"))',
    ],
    ['findAll charges each search for the rest of the text', 'same.findAll("a.*b|a").size() > 0'],
    ['comparing texts', 'steps.all(i, same == list[0] + "" || true)'],
    ['order of texts', 'steps.all(i, same <= list[i % 1000] + "b")'],
    ['membership', 'steps.all(i, !(almost in list))'],
    ['a failure at each step', 'steps.exists(i, map.missing == i)'],
    ['nested loops', 'steps.all(i, steps.all(j, steps.all(k, true)))'],
    ['a text that doubles', 'steps.map(i, same + same).join("").size() > 0'],
    ['replacement of each character by a long text', 'same.replace("a", same).size() > 0'],
    ['one long text named many times', 'list.join(same).size() > 0'],
    ['clauses over one long text', 'clauses.format(list).size() > 0'],
    ['a list of lists of lists, formatted', doubling('"%s".format([x])')],
    ['a list of lists of lists, as a result', doubling('x')],
    ['lists compared at each step', 'steps.all(i, lists == lists.map(l, l.map(e, e)))'],
    ['min of long texts', 'list.min() == ""'],
    ['a name of a zone at each step', 'steps.all(i, timestamp("2026-01-01T00:00:00Z").getHours(zone) > 0)'],
    ['another pattern at each step', 'steps.exists(i, same.matches("(b{900})?" + string(i)))'],
  ])('%s', (_name, source) => {
    expect(isStopped(source)).toBe(true);
  });

  function doubling(body: string): string {
    return Array.from({ length: 40 }, (_, i) => i).reduceRight(
      (inner, i) => `cel.bind(${i === 39 ? 'x' : `x${i}`}, [${i === 0 ? '1, 1' : `x${i - 1}, x${i - 1}`}], ${inner})`,
      body,
    );
  }

  it.each([
    ['a list of the object, read at each step', 'steps.all(i, lists.size() == 300)'],
    ['the keys of a map, read at each step', 'steps.all(i, map.exists(k, true))'],
  ])('%s is converted once, so that a step stays a step', (_name, source) => {
    const converted = counted(values.lists);
    const pool = new CostPool(10_000_000);
    expect(compileExpression(source, { variables, costLimit: 10_000_000 }).evaluate({ ...values, lists: converted.list }, pool)).toBe(true);
    expect(converted.reads()).toBeLessThanOrEqual(values.lists.length);
  });

  /** Returns a list that counts how often its elements are read. */
  function counted(list: readonly unknown[]): { readonly list: unknown[]; readonly reads: () => number } {
    let reads = 0;
    const handler: ProxyHandler<unknown[]> = {
      get(target, key, receiver) {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
        return Reflect.get(target, key, receiver) as unknown;
      },
    };
    return { list: new Proxy([...list], handler), reads: () => reads };
  }

  it('an evaluation never takes more than the rest of its pool', () => {
    const pool = new CostPool(1000);
    const expression = compileExpression('steps.all(i, i >= 0)', { variables });
    expect(() => expression.evaluate(values, pool)).toThrow(CelBudgetError);
    expect(() => compileExpression('1 == 1', { variables: {} }).evaluate({}, pool)).toThrow(CelBudgetError);
  });

  it('the budget is never absorbed', () => {
    const pool = new CostPool(1000);
    expect(() => compileExpression('steps.all(i, i >= 0) || true', { variables }).evaluate(values, pool)).toThrow(CelBudgetError);
  });
});

describe('compiling', () => {
  it.each([
    ['a pattern that expands', `"a".matches("${'a{1000}'.repeat(20)}")`],
    ['many patterns that expand', Array.from({ length: 30 }, (_, i) => `"a".matches("${i}x{900}")`).join(' || ')],
    [
      'types of map keys that double',
      Array.from({ length: 40 }, (_, i) => i).reduceRight(
        (inner, i) => `cel.bind(x${i}, {${i === 0 ? '1: 1' : `x${i - 1}: x${i - 1}`}}, ${inner})`,
        'x39 == x39',
      ),
    ],
  ])('%s is refused', (_name, source) => {
    expect(() => compileExpression(source, { variables: {} })).toThrow(CelCompileError);
  });

  it('patterns in use cost far less than the limit', () => {
    const pool = new CostPool(1_000_000);
    const source = 'managedCluster.metadata.labels["version"].matches("^1\\\\.(14|15)\\\\.\\\\d+$")';
    const expression = compileExpression(source, { variables: { managedCluster: 'dyn' }, result: 'bool' });
    expect(expression.evaluate({ managedCluster: { metadata: { labels: { version: '1.14.3' } } } }, pool)).toBe(true);
    expect(pool.used).toBeLessThan(100);
  });
});
