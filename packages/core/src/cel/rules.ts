import type { CompiledRule, RuleCompiler, StructuralSchema, ValidationRule } from '../schema/types.js';
import type { CostPool } from '../cost.js';
import { RuleError } from '../schema/rule-error.js';
import { CelBudgetError, CelCompileError, CelEvaluationError } from './errors.js';
import { compileProgram, type Program } from './program.js';
import { schemaType, type SchemaType } from './schema-types.js';
import { type CelType, optionalOf } from './types.js';
import { CelOptional, type CelValue } from './values.js';

/** The cost limit of a message expression, which is separate from the limit of its rule. */
const MESSAGE_COST_LIMIT = 100_000;
const MAX_MESSAGE_LENGTH = 5 * 1024;

/** Returns a compiler of `x-kubernetes-validations`. The static types of `self` and `oldSelf` come from the schema. */
export function createRuleCompiler(options: { readonly costLimit?: number } = {}): RuleCompiler {
  const types = new WeakMap<StructuralSchema, { readonly root?: SchemaType; readonly nested?: SchemaType }>();
  return {
    compile(rule, schema, { isRoot }) {
      const known = types.get(schema) ?? {};
      const place = isRoot ? 'root' : 'nested';
      const self = known[place] ?? schemaType(schema, isRoot);
      if (self === undefined) throw new Error('rules need a schema that has a type');
      types.set(schema, { ...known, [place]: self });
      return compileRule(rule, self, options.costLimit);
    },
  };
}

function compileRule(rule: ValidationRule, self: SchemaType, costLimit: number | undefined): CompiledRule {
  const variables = { self: self.type, oldSelf: rule.optionalOldSelf ? optionalOf(self.type) : self.type };
  const usesOldSelf = namesOldSelf(rule.rule, variables);
  if (rule.optionalOldSelf && !usesOldSelf) throw new Error('optionalOldSelf may not be set for rules without oldSelf');
  const condition = compilePart('rule', rule.rule, variables);
  const message = rule.messageExpression === undefined ? undefined : compilePart('messageExpression', rule.messageExpression, variables);

  return {
    usesOldSelf,
    evaluate(rawSelf, rawOldSelf, pool) {
      return explaining(rule, () => {
        const values = { self: convert(self, rawSelf), oldSelf: convertOld(self, rawOldSelf, rule.optionalOldSelf ?? false) };
        if (condition.run(values, { pool, limit: costLimit }, asIs) === true) return undefined;
        return (message && expressedMessage(message, values, pool)) ?? rule.message ?? `failed rule: ${oneLine(rule.rule)}`;
      });
    },
  };
}

const asIs = (value: CelValue): CelValue => value;

/** Whether the rule uses the old value. Such a rule does not compile without the variable `oldSelf`. */
function namesOldSelf(source: string, { self }: { self: CelType }): boolean {
  if (!source.includes('oldSelf')) return false;
  try {
    compileProgram(source, { variables: { self } });
    return false;
  } catch {
    return true;
  }
}

/** The two expressions of a rule, and their names in the API server's messages. */
const PARTS = {
  rule: { result: 'bool', prefix: '', name: 'cel expression' },
  messageExpression: { result: 'string', prefix: 'messageExpression ', name: 'messageExpression' },
} as const;

function compilePart(part: keyof typeof PARTS, source: string, variables: Readonly<Record<string, CelType>>): Program {
  const { result, prefix, name } = PARTS[part];
  if (source.trim() === '') throw new RuleError(part, 'an expression is required');
  const program = compiled(source, variables, (cause) => new RuleError(part, `${prefix}compilation failed: ${cause.message}`, { cause }));
  const { kind } = program.type;
  if (kind !== result && kind !== 'dyn') throw new RuleError(part, `${name} must evaluate to a ${result}`);
  return program;
}

function compiled(source: string, variables: Readonly<Record<string, CelType>>, refusal: (cause: CelCompileError) => Error): Program {
  try {
    return compileProgram(source, { variables, isMixingAllowed: false });
  } catch (error) {
    throw error instanceof CelCompileError ? refusal(error) : error;
  }
}

function convert(self: SchemaType, raw: unknown): CelValue {
  return raw === undefined || raw === null ? null : self.convert(raw);
}

function convertOld(self: SchemaType, raw: unknown, isOptional: boolean): CelValue {
  if (!isOptional) return convert(self, raw);
  return raw === undefined || raw === null ? CelOptional.none : new CelOptional(self.convert(raw));
}

/** Runs `action`. If it throws an evaluation or budget error, adds the rule to the message of the error. */
function explaining<T>({ rule }: ValidationRule, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof CelBudgetError)
      throw new Error(`call cost exceeded the limit: ${error.message}: rule: ${oneLine(rule)}`, { cause: error });
    if (error instanceof CelEvaluationError)
      throw new Error(`rule evaluation error: ${error.message}: rule: ${oneLine(rule)}`, { cause: error });
    throw error;
  }
}

/**
 * Returns the message that the expression produces. Returns undefined if the expression fails, or if its result is empty or has several
 * lines. The caller then uses the rule's fixed message, as the API server does.
 */
function expressedMessage(message: Program, values: Readonly<Record<string, CelValue>>, pool: CostPool): string | undefined {
  try {
    const text = message.run(values, { pool, limit: MESSAGE_COST_LIMIT }, asIs);
    const isUsable = typeof text === 'string' && text.trim() !== '' && !text.includes('\n') && text.length <= MAX_MESSAGE_LENGTH;
    return isUsable ? text.trim() : undefined;
  } catch (error) {
    if (error instanceof CelEvaluationError || error instanceof CelBudgetError) return undefined;
    throw error;
  }
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ');
}
