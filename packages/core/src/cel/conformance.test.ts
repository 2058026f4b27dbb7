import { tests } from '@bufbuild/cel-spec/testdata/conformance.js';
import { describe, expect, it } from 'vitest';
import { CostPool } from '../cost.js';
import { Budget } from './budget.js';
import { isEqual, typeName } from './operators.js';
import { compileProgram } from './program.js';
import { parseGoDuration, parseTimestamp } from './time.js';
import { type CelType, DYN } from './types.js';
import { type CelKey, CelTypeValue, CelUint, type CelValue, LiteralMap } from './values.js';

/**
 * The minimum number of cases that pass in each official suite. Raise a number when more cases pass; never lower it. Suites about protobuf
 * messages (proto2, proto3, wrappers, enums, parts of dynamic and fields) cover features that Kubernetes does not use.
 */
const FLOORS: Readonly<Record<string, number>> = {
  basic: 40, // of 43
  bindings_ext: 5, // of 5
  comparisons: 325, // of 406
  conversions: 109, // of 109
  dynamic: 25, // of 226
  enums: 10, // of 85
  fields: 54, // of 60
  fp_math: 30, // of 30
  integer_math: 64, // of 64
  lists: 39, // of 39
  logic: 25, // of 30
  macros: 44, // of 44
  macros2: 46, // of 46
  math_ext: 17, // of 199
  namespace: 1, // of 3
  optionals: 53, // of 70
  parse: 168, // of 219
  plumbing: 5, // of 5
  proto2: 6, // of 108
  proto3: 6, // of 75
  string: 51, // of 51
  string_ext: 208, // of 209
  timestamps: 76, // of 76
  type_deductions: 12, // of 47
};

interface Case {
  readonly name?: string;
  readonly expr: string;
  readonly value?: Json;
  readonly evalError?: unknown;
  readonly bindings?: Readonly<Record<string, { readonly value?: Json }>>;
  readonly typeEnv?: readonly { readonly name: string }[];
  readonly container?: string;
  readonly checkOnly?: boolean;
  readonly typedResult?: { readonly result?: Json };
}
type Json = Readonly<Record<string, unknown>>;
type Suite = typeof tests;

function casesOf(suite: Suite): Case[] {
  return [...(suite.tests ?? []).map(({ original }) => original as unknown as Case), ...(suite.suites ?? []).flatMap(casesOf)];
}

function toValue(json: Json): CelValue {
  const [kind, raw] = Object.entries(json)[0] ?? ['nullValue', null];
  switch (kind) {
    case 'int64Value':
      return BigInt(raw as string);
    case 'uint64Value':
      return new CelUint(BigInt(raw as string));
    case 'doubleValue':
      return Number(raw);
    case 'bytesValue':
      return Uint8Array.from(Buffer.from(raw as string, 'base64'));
    case 'listValue':
      return ((raw as { values?: Json[] }).values ?? []).map(toValue);
    case 'mapValue':
      return new LiteralMap(
        new Map(
          ((raw as { entries?: { key: Json; value: Json }[] }).entries ?? []).map(({ key, value }) => [toKeyValue(key), toValue(value)]),
        ),
      );
    case 'typeValue':
      return new CelTypeValue(raw as string);
    case 'objectValue':
      return toWellKnown(raw as { '@type': string; value: unknown });
    default:
      return raw as CelValue;
  }
}

function toKeyValue(json: Json): CelKey {
  const key = toValue(json);
  return key instanceof CelUint ? key.value : (key as CelKey);
}

function toWellKnown({ '@type': type, value }: { '@type': string; value: unknown }): CelValue {
  if (type.endsWith('Duration')) return parseGoDuration(value as string);
  if (type.endsWith('Timestamp')) return parseTimestamp(value as string);
  throw new Error(`no messages: ${type}`);
}

function passes(test: Case): boolean {
  const bindings = Object.entries(test.bindings ?? {});
  const names = [...bindings.map(([name]) => name), ...(test.typeEnv ?? []).map(({ name }) => name)];
  let result: CelValue;
  try {
    const values = Object.fromEntries(bindings.map(([name, { value }]) => [name, toValue(value ?? {})]));
    const program = compileProgram(test.expr, { variables: Object.fromEntries(names.map((name): [string, CelType] => [name, DYN])) });
    result = program.run(values, { pool: new CostPool(1_000_000) }, (value) => value);
  } catch {
    return test.evalError !== undefined;
  }
  if (test.evalError !== undefined) return false;
  const expected = test.value ?? test.typedResult?.result;
  if (expected === undefined) return result === true;
  return isSame(result, expected);
}

function isSame(result: CelValue, expected: Json): boolean {
  try {
    const want = toValue(expected);
    if (Number.isNaN(want)) return Number.isNaN(result);
    return typeName(result) === typeName(want) && isEqual(result, want, new Budget(new CostPool(1_000_000)));
  } catch {
    return false;
  }
}

describe('the official conformance tests', () => {
  const suites = tests.suites ?? [];
  it('are complete', () => expect(suites.length).toBeGreaterThan(20));
  it.each(suites.map((suite) => [suite.name, suite] as const))('%s', (name, suite) => {
    const cases = casesOf(suite);
    expect(cases.filter(passes).length).toBeGreaterThanOrEqual(FLOORS[name] ?? 0);
  });
});
