import { goQuote } from './go-format.js';
import { fieldError } from './field-error.js';
import { bodyPath, type Check, type Run } from './run.js';
import type { FieldError, StructuralSchema } from './types.js';

type Compile = (schema: StructuralSchema) => Check;

/** Checks `anyOf`, `oneOf`, `allOf` and `not`, in the order in which the API server reports them. */
export function compositeCheck(schema: StructuralSchema, compile: Compile): Check | undefined {
  const parts = [
    schema.anyOf?.length ? anyOf(schema.anyOf.map(compile)) : undefined,
    schema.oneOf?.length ? oneOf(schema.oneOf.map(compile)) : undefined,
    schema.allOf?.length ? allOf(schema.allOf.map(compile)) : undefined,
    schema.not ? not(compile(schema.not)) : undefined,
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  return (value, old, run) => parts.reduce((passed, part) => passed + part(value, old, run), 0);
}

interface Attempt {
  readonly passed: number;
  readonly errors: readonly FieldError[];
}

/** Runs one alternative without reporting its errors. */
function attempt(check: Check, value: unknown, old: unknown, run: Run): Attempt {
  const reported = run.schemaErrors;
  run.schemaErrors = [];
  run.alternatives++;
  const passed = check(value, old, run);
  run.alternatives--;
  const errors = run.schemaErrors;
  run.schemaErrors = reported;
  return { passed, errors };
}

/** Reports that an alternative failed. Like the API server, reports this failure without a field. */
function reportWhole(run: Run, words: string): void {
  run.schemaErrors.push(fieldError.invalid('<nil>', '', `${goQuote(bodyPath(run.path))} ${words}`));
}

function betterOf(best: Attempt | undefined, next: Attempt): Attempt {
  return best === undefined || next.passed > best.passed ? next : best;
}

function anyOf(alternatives: readonly Check[]): Check {
  return (value, old, run) => {
    let best: Attempt | undefined;
    for (const alternative of alternatives) {
      const result = attempt(alternative, value, old, run);
      if (result.errors.length === 0) return result.passed;
      best = betterOf(best, result);
    }
    reportWhole(run, 'must validate at least one schema (anyOf)');
    run.schemaErrors.push(...(best?.errors ?? []));
    return best?.passed ?? 0;
  };
}

function oneOf(alternatives: readonly Check[]): Check {
  return (value, old, run) => {
    const results = alternatives.map((alternative) => attempt(alternative, value, old, run));
    const valid = results.filter((result) => result.errors.length === 0);
    if (valid.length === 1) return valid[0]?.passed ?? 0;
    const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
    reportWhole(run, `must validate one and only one schema (oneOf). ${found}`);
    if (valid.length > 0) return 0;
    const best = results.reduce<Attempt | undefined>(betterOf, undefined);
    run.schemaErrors.push(...(best?.errors ?? []));
    return best?.passed ?? 0;
  };
}

function allOf(parts: readonly Check[]): Check {
  return (value, old, run) => {
    let passed = 0;
    let valid = 0;
    for (const part of parts) {
      const result = attempt(part, value, old, run);
      passed += result.passed;
      if (result.errors.length === 0) valid++;
      run.schemaErrors.push(...result.errors);
    }
    if (valid < parts.length) reportWhole(run, `must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
    return passed;
  };
}

function not(refused: Check): Check {
  return (value, old, run) => {
    if (attempt(refused, value, old, run).errors.length === 0) reportWhole(run, 'must not validate the schema (not)');
    return 0;
  };
}
