import type { CostPool } from '../cost.js';
import { canonicalJson } from '../hash/canonical-json.js';
import { Evaluation } from './evaluate.js';
import type { TemplatePart } from './syntax.js';
import { parseTemplate, relax } from './template.js';

export interface JsonPathOptions {
  /** Whether a missing field produces no value instead of an error. Defaults to true, as in kubectl. */
  readonly allowMissingKeys?: boolean;
}

/** A compiled template in Kubernetes' JSONPath dialect. Each value that a path visits takes 1 from the pool. */
export interface JsonPath {
  /** Returns the values that the template's paths select, in order, without the literal text. */
  find(object: unknown, pool: CostPool): unknown[];
  /** Returns the output of `kubectl -o jsonpath`: the values of one path separated by spaces, with objects and lists as JSON. */
  print(object: unknown, pool: CostPool): string;
}

const MAX_LENGTH = 16 * 1024;

/**
 * Compiles `{.items[*].metadata.name}`, `.status.conditions[?(@.type=="Ready")].status`, `{range .items[*]}{.x}{"
 * "}{end}`, … Braces and the first dot may be omitted. Throws an error that names the path.
 */
export function compileJsonPath(text: string, options: JsonPathOptions = {}): JsonPath {
  const evaluateOptions = { allowMissingKeys: options.allowMissingKeys ?? true };
  const parts = parse(text);
  const results = (object: unknown, pool: CostPool): Result[] =>
    naming(text, () => evaluate(parts, object, new Evaluation(evaluateOptions, pool)));
  return {
    find: (object, pool) => results(object, pool).flatMap((result) => (result.type === 'values' ? result.values : [])),
    print: (object, pool) =>
      results(object, pool)
        .map((result) => (result.type === 'text' ? result.text : result.values.map(toText).join(' ')))
        .join(''),
  };
}

function parse(text: string): TemplatePart[] {
  if (text.length > MAX_LENGTH) throw new Error(`JSONPath has ${text.length} characters, at most ${MAX_LENGTH} are allowed`);
  return naming(text, () => parseTemplate(relax(text)));
}

function naming<T>(text: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new Error(`JSONPath ${text}: ${(error as Error).message}`, { cause: error });
  }
}

type Result = { readonly type: 'text'; readonly text: string } | { readonly type: 'values'; readonly values: readonly unknown[] };

function evaluate(parts: readonly TemplatePart[], object: unknown, evaluation: Evaluation): Result[] {
  return parts.flatMap((part): Result[] => {
    switch (part.type) {
      case 'text':
        return [part];
      case 'path':
        return [toResult(part, evaluation.walk([object], part.steps))];
      case 'range':
        return evaluation.walk([object], part.steps).flatMap((element) => evaluate(part.body, element, evaluation));
    }
  });
}

/** Returns the result of a path. A literal such as `{" "}` is text, not a selected value. */
function toResult({ steps }: TemplatePart & { type: 'path' }, values: readonly unknown[]): Result {
  const isText = steps.length === 1 && steps[0]?.type === 'literal';
  return isText ? { type: 'text', text: values.map(toText).join(' ') } : { type: 'values', values };
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : canonicalJson(value);
}
