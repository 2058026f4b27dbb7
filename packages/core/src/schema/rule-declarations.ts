import { errorMessage } from '../errors.js';
import { fieldError } from './field-error.js';
import { goJson, Verbatim } from './go-format.js';
import { RuleError } from './rule-error.js';
import type { FieldError, RuleCompiler, StructuralSchema, ValidationRule } from './types.js';

const REASONS: readonly string[] = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

export interface SchemaContext {
  readonly rules: RuleCompiler | undefined;
  readonly isRoot: boolean;
  /** The reason why a default is not allowed at this position; undefined if it is allowed. */
  readonly noDefaults: string | undefined;
  /** The nearest surrounding list whose items cannot be matched with old items. Rules inside this list cannot use `oldSelf`. */
  readonly uncorrelatable: string | undefined;
}

/** Returns the errors that can be found in the rules of a schema without compiling them. */
export function ruleTextProblems(schema: StructuralSchema, path: string): FieldError[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap((rule, i) =>
    oneRuleProblems(schema, rule, `${path}.x-kubernetes-validations[${i}]`),
  );
}

const LINE_BREAK = /[\n\r]/;

function oneRuleProblems(schema: StructuralSchema, rule: ValidationRule, path: string): FieldError[] {
  const problems: FieldError[] = [];
  const text = rule.rule.trim();
  const message = rule.message?.trim() ?? '';
  if (text === '') problems.push(fieldError.required(`${path}.rule`, 'rule is not specified'));
  else if (rule.message && message === '')
    problems.push(fieldError.invalid(`${path}.message`, rule.message, 'must be non-empty if specified'));
  else if (LINE_BREAK.test(message)) problems.push(fieldError.invalid(`${path}.message`, rule.message, 'must not contain line breaks'));
  else if (LINE_BREAK.test(text) && message === '')
    problems.push(fieldError.required(`${path}.message`, 'message must be specified if rule contains line breaks'));
  if (rule.messageExpression && rule.messageExpression.trim() === '')
    problems.push(fieldError.required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  if (rule.reason && !REASONS.includes(rule.reason)) problems.push(fieldError.unsupported(`${path}.reason`, rule.reason, REASONS));
  if (rule.fieldPath && !leadsSomewhere(schema, rule.fieldPath))
    problems.push(fieldError.invalid(`${path}.fieldPath`, rule.fieldPath, 'must be a valid path'));
  return problems;
}

/** Formats a rule as the API server prints it, with Go's field names in Go's order. */
function printedRule({ rule, message = '', messageExpression = '', reason, fieldPath = '', optionalOldSelf }: ValidationRule): string {
  const members: readonly (readonly [string, unknown])[] = [
    ['Rule', rule],
    ['Message', message],
    ['MessageExpression', messageExpression],
    ['Reason', reason],
    ['FieldPath', fieldPath],
    ['OptionalOldSelf', optionalOldSelf],
  ];
  return `{${members.map(([name, value]) => `"${name}":${goJson(value ?? null)}`).join(',')}}`;
}

const FIELD_PATH_STEP = /\.([^.[\]\s]+)|\['((?:[^'\\]|\\.)*)'\]/y;

/** Whether a rule's fieldPath points to a field that the schema declares. */
function leadsSomewhere(schema: StructuralSchema, fieldPath: string): boolean {
  let part: StructuralSchema | undefined = schema;
  const step = new RegExp(FIELD_PATH_STEP);
  for (let at = 0; at < fieldPath.length && part; at = step.lastIndex) {
    const [, dotted, quoted] = step.exec(fieldPath) ?? [];
    const name = dotted ?? quoted;
    if (name === undefined) return false;
    const { properties, additionalProperties }: StructuralSchema = part;
    const other: StructuralSchema | undefined = typeof additionalProperties === 'object' ? additionalProperties : undefined;
    part = properties && Object.hasOwn(properties, name) ? properties[name] : other;
  }
  return part !== undefined;
}

/** Returns the errors that the rule compiler reports. */
export function ruleProblems(schema: StructuralSchema, path: string, context: SchemaContext, rules: RuleCompiler): FieldError[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap((rule, i) => {
    const place = `${path}.x-kubernetes-validations[${i}]`;
    try {
      const { usesOldSelf } = rules.compile(rule, schema, { isRoot: context.isRoot });
      if (usesOldSelf && context.uncorrelatable !== undefined) {
        const words = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${context.uncorrelatable}`;
        return [fieldError.invalid(`${place}.rule`, rule.rule, words)];
      }
      if (!usesOldSelf && rule.optionalOldSelf !== undefined)
        return [fieldError.invalid(`${place}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule')];
      return [];
    } catch (error) {
      const part = error instanceof RuleError ? error.part : 'rule';
      return [fieldError.invalid(`${place}.${part}`, new Verbatim(printedRule(rule)), errorMessage(error))];
    }
  });
}
