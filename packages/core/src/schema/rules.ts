import { CostPool } from '../cost.js';
import { errorMessage } from '../errors.js';
import { isJsonObject } from '../json.js';
import { isUnchanged, itemCorrelation } from './correlate.js';
import { fieldError } from './field-error.js';
import { fieldPath, type Segment } from './run.js';
import type { CompiledRule, FieldError, RuleCompiler, StructuralSchema, ValidationRule } from './types.js';

/** The limit on the total cost of all rules for one object. It equals that of the API server. */
const OBJECT_COST_LIMIT = 10_000_000;

export interface RuleRun {
  readonly path: Segment[];
  readonly errors: FieldError[];
  readonly pool: CostPool;
  /** Whether a rule has exceeded its cost limit. If so, no more rules are evaluated for this object. */
  isOutOfBudget: boolean;
}

export function newRuleRun(errors: FieldError[]): RuleRun {
  return { path: [], errors, pool: new CostPool(OBJECT_COST_LIMIT), isOutOfBudget: false };
}

/**
 * Evaluates the rules of a value and of all values inside it. `old` is the value before an update (undefined on create). `unchanged`
 * returns whether this value, or a value that contains it, did not change, so that errors are tolerated.
 */
export type RuleCheck = (value: unknown, old: unknown, unchanged: () => boolean, run: RuleRun) => void;

/** Compiles the rules of a schema. Returns undefined if neither the schema nor its parts have rules. */
export function compileRules(schema: StructuralSchema, compiler: RuleCompiler, isRoot: boolean): RuleCheck | undefined {
  const own = (schema['x-kubernetes-validations'] ?? []).map((rule) => ({ rule, compiled: compiler.compile(rule, schema, { isRoot }) }));
  const inner = [
    ...(schema.allOf ?? []).map((part) => allOfRules(part, schema, compiler, isRoot)),
    memberRules(schema, compiler, isRoot),
    itemRules(schema, compiler),
  ].filter((check) => check !== undefined);
  if (own.length === 0 && inner.length === 0) return undefined;
  return (value, old, unchanged, run) => {
    if (value === null || value === undefined || run.isOutOfBudget) return;
    for (const { rule, compiled } of own) evaluate(rule, compiled, schema, { value, old, unchanged, run });
    for (const check of inner) check(value, old, unchanged, run);
  };
}

/** Compiles rules below `allOf`, which use the types of the surrounding schema. */
function allOfRules(part: StructuralSchema, around: StructuralSchema, compiler: RuleCompiler, isRoot: boolean): RuleCheck | undefined {
  return compileRules({ ...around, allOf: [], 'x-kubernetes-validations': [], ...typed(part, around) }, compiler, isRoot);
}

function typed(part: StructuralSchema, around: StructuralSchema): StructuralSchema {
  const properties = Object.entries(part.properties ?? {}).map(([name, inner]) => {
    const outer = around.properties && Object.hasOwn(around.properties, name) ? around.properties[name] : undefined;
    return [name, { ...outer, ...typed(inner, outer ?? {}) }] as const;
  });
  return {
    ...part,
    properties: Object.fromEntries(properties),
    ...(part.items ? { items: { ...around.items, ...typed(part.items, around.items ?? {}) } } : {}),
  };
}

interface Subject {
  readonly value: unknown;
  readonly old: unknown;
  readonly unchanged: () => boolean;
  readonly run: RuleRun;
}

function evaluate(rule: ValidationRule, compiled: CompiledRule, schema: StructuralSchema, subject: Subject): void {
  const { value, old, unchanged, run } = subject;
  if (run.isOutOfBudget) return;
  const hasOld = old !== undefined && old !== null;
  if (compiled.usesOldSelf && !hasOld && !rule.optionalOldSelf) return;
  let message: string | undefined;
  try {
    message = compiled.evaluate(value, hasOld ? old : undefined, run.pool);
  } catch (error) {
    run.errors.push(fieldError.invalid(fieldPath(run.path), schema.type ?? '', failureText(rule, error, run.pool)));
    run.isOutOfBudget = isBudgetError(error);
    return;
  }
  if (message === undefined) return;
  // A transition rule is about the change itself, so its error is new and is never tolerated.
  if (!compiled.usesOldSelf && unchanged()) return;
  const container = schema.type === 'object' || schema.type === 'array';
  run.errors.push(errorFor(rule, ruleField(rule, run.path), container ? undefined : value, message));
}

/**
 * Returns the message for a rule that could not be evaluated. Uses the cause of the error, because the error's own message contains the
 * rule and is worded differently from the API server's message.
 */
function failureText(rule: ValidationRule, error: unknown, pool: CostPool): string {
  if (isBudgetError(error) && pool.isExhausted) return OUT_OF_BUDGET;
  const problem = errorMessage(error instanceof Error && error.cause !== undefined ? error.cause : error);
  const text = (rule.message ?? rule.rule).trim();
  if (isBudgetError(error)) return `'${problem}': no further validation rules will be run due to call cost exceeds limit for rule: ${text}`;
  return `${problem} evaluating rule: ${text}`;
}

const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

function isBudgetError(error: unknown): boolean {
  return error instanceof Error && [error, error.cause].some((one) => one instanceof Error && one.name === 'CelBudgetError');
}

function errorFor(rule: ValidationRule, field: string, value: unknown, message: string): FieldError {
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return fieldError.forbidden(field, message);
    case 'FieldValueRequired':
      return fieldError.required(field, message);
    case 'FieldValueDuplicate':
      return fieldError.duplicate(field, value);
    default:
      return fieldError.invalid(field, value, message);
  }
}

/** Returns the field at which a rule's failure is reported: its `fieldPath` (`.spec['a.b']`) below the value, or the value itself. */
function ruleField(rule: ValidationRule, path: readonly Segment[]): string {
  if (!rule.fieldPath) return fieldPath(path);
  const below = rule.fieldPath.replace(/\['((?:[^'\\]|\\.)*)'\]/g, (_, name: string) => `.${name.replace(/\\(.)/g, '$1')}`);
  return path.length === 0 ? below.slice(1) : `${fieldPath(path)}${below}`;
}

function memberRules(schema: StructuralSchema, compiler: RuleCompiler, isRoot: boolean): RuleCheck | undefined {
  const children = new Map<string, { schema: StructuralSchema; check: RuleCheck }>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const check = compileRules(property, compiler, false);
    if (check) children.set(name, { schema: property, check });
  }
  const { additionalProperties } = schema;
  const otherCheck = typeof additionalProperties === 'object' ? compileRules(additionalProperties, compiler, false) : undefined;
  const other = otherCheck ? { schema: additionalProperties as StructuralSchema, check: otherCheck } : undefined;
  if (children.size === 0 && !other) return undefined;
  return (value, old, unchanged, run) => {
    if (!isJsonObject(value)) return;
    const oldMap = isJsonObject(old) ? old : undefined;
    for (const key of Object.keys(value)) {
      const child = children.get(key) ?? (Object.hasOwn(schema.properties ?? {}, key) ? undefined : other);
      if (!child) continue;
      const oldValue = oldMap && Object.hasOwn(oldMap, key) ? oldMap[key] : undefined;
      const isTypeMeta = isRoot && (key === 'apiVersion' || key === 'kind');
      const same = isTypeMeta ? NEVER : oldValue === undefined ? unchanged : once(() => isUnchanged(child.schema, value[key], oldValue));
      run.path.push(child === other ? { key } : key);
      child.check(value[key], oldValue, same, run);
      run.path.pop();
    }
  };
}

function itemRules(schema: StructuralSchema, compiler: RuleCompiler): RuleCheck | undefined {
  const { items } = schema;
  const check = items ? compileRules(items, compiler, false) : undefined;
  if (!items || !check) return undefined;
  const correlate = itemCorrelation(schema);
  return (value, old, unchanged, run) => {
    if (!Array.isArray(value)) return;
    const oldItemOf = correlate?.(old);
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      const oldItem = oldItemOf?.(item);
      const same = oldItem === undefined ? unchanged : once(() => isUnchanged(items, item, oldItem));
      run.path.push(i);
      check(item, oldItem, same, run);
      run.path.pop();
    }
  };
}

const NEVER = (): boolean => false;

function once(compute: () => boolean): () => boolean {
  let result: boolean | undefined;
  return () => (result ??= compute());
}
