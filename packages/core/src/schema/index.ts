export { compileSchema } from './compile.js';
export type { CompiledSchema, Pruned, SchemaOptions } from './compile.js';
export { fieldError, fieldErrorBody, fieldErrorText, invalidError } from './field-error.js';
export type { GroupKind } from './field-error.js';
export { knownMeta, malformedMeta, validateObjectMeta } from './object-meta.js';
export type { ObjectMetaRules } from './object-meta.js';
export { checkStructural } from './structural.js';
export type { StructuralOptions } from './structural.js';
export type { CompiledRule, FieldError, RuleCompiler, StructuralSchema, ValidationRule } from './types.js';
