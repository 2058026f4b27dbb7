import { deepEqual } from '../patch/equal.js';
import { compileCheck } from './check.js';
import { compilePruning, newPruneRun } from './pruning.js';
import { declarationProblems } from './declarations.js';
import { fieldError, fieldErrorText } from './field-error.js';
import { assertSchemaDepth } from './schema-depth.js';
import { newRun } from './run.js';
import { completenessProblems, invariantProblems } from './structural-invariants.js';
import type { FieldError, RuleCompiler, StructuralSchema } from './types.js';

export interface StructuralOptions {
  /** The path of the schema in its CustomResourceDefinition. */
  readonly path?: string;
  /** Compiles `x-kubernetes-validations`, to report rules that do not compile. */
  readonly rules?: RuleCompiler;
}

/**
 * Returns the errors for which an API server rejects a CustomResourceDefinition with this schema, with its messages: the schema is not
 * structural, a default does not fit, or an extension contradicts its schema. The list is empty for a schema that `compileSchema` accepts.
 */
export function checkStructural(schema: StructuralSchema, options: StructuralOptions = {}): readonly FieldError[] {
  const { path = 'spec.validation.openAPIV3Schema', rules } = options;
  assertSchemaDepth(schema);
  const atRoot = schema.nullable ? [fieldError.forbidden(`${path}.nullable`, 'nullable cannot be true at the root')] : [];
  const structural = [...invariantProblems(schema, path), ...completenessProblems(schema, path)].sort(byText);
  const defaults = structural.length > 0 ? [] : defaultProblems(schema, path);
  const isSound = structural.length === 0 && defaults.length === 0;
  return [...atRoot, ...structural, ...defaults, ...declarationProblems(schema, path, isSound ? rules : undefined)];
}

function byText(a: FieldError, b: FieldError): number {
  return fieldErrorText(a) < fieldErrorText(b) ? -1 : 1;
}

/** Checks the defaults. A default must not be changed by pruning and must be valid for the schema. */
function defaultProblems(schema: StructuralSchema, path: string): FieldError[] {
  const inner = [
    ...(schema.items ? defaultProblems(schema.items, `${path}.items`) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => defaultProblems(property, `${path}.properties[${name}]`)),
  ];
  return schema.default === undefined ? inner : [...ownDefaultProblems(schema, schema.default, `${path}.default`), ...inner];
}

function ownDefaultProblems(schema: StructuralSchema, value: unknown, path: string): FieldError[] {
  const kept = compilePruning(schema)(value, newPruneRun());
  const unknown = deepEqual(kept, value) ? [] : [fieldError.invalid(path, value, 'must not have unknown fields')];
  const run = newRun();
  compileCheck(schema)(value, undefined, run);
  const errors = run.embeddedErrors.length > 0 ? run.embeddedErrors : run.schemaErrors;
  return [...unknown, ...errors.map((error) => ({ ...error, field: error.field === '<nil>' ? path : `${path}.${error.field}` }))];
}
