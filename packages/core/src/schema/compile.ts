import { compileCheck } from './check.js';
import { ratchet } from './container-checks.js';
import { isUnchanged } from './correlate.js';
import { compileDefaulting } from './defaulting.js';
import { fieldError } from './field-error.js';
import { compilePruning, newPruneRun } from './pruning.js';
import { compileRules, newRuleRun } from './rules.js';
import { assertSchemaDepth } from './schema-depth.js';
import { type Check, newRun, type Run } from './run.js';
import type { FieldError, RuleCompiler, StructuralSchema } from './types.js';

export interface SchemaOptions {
  /** Compiles the rules in `x-kubernetes-validations`. Without a compiler the rules are ignored. */
  readonly rules?: RuleCompiler;
  /** Whether values are whole objects, whose apiVersion, kind and metadata are always declared. Defaults to true. */
  readonly isResource?: boolean;
}

export interface Pruned<T> {
  readonly value: T;
  /** The paths of the dropped fields (`spec.foo[0].bar`), sorted, for `fieldValidation=Warn` and `Strict`. */
  readonly unknownFields: readonly string[];
  /**
   * The reason why the object cannot be decoded (metadata of the wrong type), for a response with status 400: `X in version "v1" cannot be
   * handled as a X: …`.
   */
  readonly malformed?: string;
}

/** A compiled schema. No function changes its argument; each returns the argument itself if there is nothing to change. */
export interface CompiledSchema {
  readonly schema: StructuralSchema;
  /**
   * Fills in defaults. Throws RequestEntityTooLarge if the defaults would add more than a request may contain. A member that is null
   * although the schema does not allow null is replaced by its default, or dropped if it has no default. With `nulls: 'keep'`, a null
   * without a default is kept, and `validate` reports it. Default values are shared and frozen.
   */
  defaulted<T>(value: T, nulls?: 'keep'): T;
  /** Drops fields that the schema does not declare. */
  pruned<T>(value: T): Pruned<T>;
  /**
   * Returns the errors in a value, with the Kubernetes API server's messages. If `old` is given, the write is an update: transition rules
   * apply, and an existing error in an unchanged value is tolerated.
   */
  validate(value: unknown, old?: unknown): readonly FieldError[];
  /** Like `validate`, for a write to the status subresource. The schema checks `status` only, but rules can access the whole object. */
  validateStatus(value: unknown, old: unknown): readonly FieldError[];
}

/** Compiles a schema. Throws if a pattern or a rule does not compile; use `checkStructural` first to report the reason. */
export function compileSchema(schema: StructuralSchema, options: SchemaOptions = {}): CompiledSchema {
  assertSchemaDepth(schema);
  const { isResource = true } = options;
  const check = compileCheck(schema);
  const rules = options.rules && compileRules(schema, options.rules, true);
  const defaulting = compileDefaulting(schema);
  const pruning = compilePruning(schema, isResource);
  const statusSchema = schema.properties?.['status'];
  const statusCheck = statusSchema ? compileCheck(statusSchema) : undefined;

  const withRules = (found: FieldError[], value: unknown, old: unknown): readonly FieldError[] => {
    if (!rules) return found;
    if (found.some(isBlocking)) return [...found, RULES_SKIPPED];
    const run = newRuleRun(found);
    rules(value, old, () => old !== undefined && isUnchanged(schema, value, old), run);
    return run.errors;
  };

  return {
    schema,
    defaulted: <T>(value: T, nulls?: 'keep'): T =>
      defaulting ? (defaulting(value, { added: 0, keepsNulls: nulls === 'keep' }) as T) : value,
    pruned<T>(value: T): Pruned<T> {
      const run = newPruneRun();
      const kept = pruning(value, run) as T;
      const [malformed] = run.malformed;
      return { value: kept, unknownFields: run.unknown.sort(), ...(malformed === undefined ? {} : { malformed }) };
    },
    validate(value, old) {
      const run = checked(check, schema, value, old);
      return withRules([...unique(run.schemaErrors), ...run.embeddedErrors, ...listErrors(run, check, old)], value, old);
    },
    validateStatus(value, old) {
      const status = memberOf(value, 'status');
      const oldStatus = memberOf(old, 'status');
      const found: FieldError[] = [];
      if (statusSchema && statusCheck && status !== undefined) {
        const run = checked(statusCheck, statusSchema, status, oldStatus);
        found.push(...unique(run.schemaErrors).map(belowStatus));
      }
      const whole = newRun();
      check(value, old, whole);
      return withRules([...found, ...listErrors(whole, check, old)], value, old);
    },
  };
}

function checked(check: Check, schema: StructuralSchema, value: unknown, old: unknown): Run {
  const run = newRun();
  check(value, old, run);
  if (run.schemaErrors.length > 0) ratchet(run, 0, schema, value, old);
  return run;
}

/**
 * Returns the errors about duplicate items. If the old object has duplicates, returns no errors, because otherwise the object could not be
 * updated.
 */
function listErrors(run: Run, check: Check, old: unknown): readonly FieldError[] {
  if (run.listErrors.length === 0 || old === undefined) return run.listErrors;
  const before = newRun();
  check(old, undefined, before);
  return before.listErrors.length > 0 ? [] : run.listErrors;
}

const BLOCKING: ReadonlySet<FieldError['type']> = new Set<FieldError['type']>([
  'Unsupported',
  'Required',
  'TooLong',
  'TooMany',
  'TypeInvalid',
]);

function isBlocking(error: FieldError): boolean {
  return BLOCKING.has(error.type);
}

const RULES_SKIPPED: FieldError = fieldError.invalid(
  '<nil>',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

/** Removes duplicate errors, because two alternatives may report the same error. */
function unique(errors: readonly FieldError[]): readonly FieldError[] {
  if (errors.length < 2) return errors;
  return [...new Map(errors.map((error) => [`${error.type} ${error.field} ${error.detail}`, error])).values()];
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function belowStatus(error: FieldError): FieldError {
  return { ...error, field: error.field === '<nil>' ? 'status' : `status.${error.field}` };
}
