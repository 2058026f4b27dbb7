export { compileSchema } from './compile.js';
export type { CompiledSchema, Pruned } from './compile.js';
export { fieldError, fieldErrorText, invalidError } from './field-error.js';
export { knownMeta, labelErrors, malformedMeta, pathSegmentProblems, validateObjectMeta } from './object-meta.js';
export { isCidr, isIpv4, isIpv6 } from './format-rules.js';
export { checkStructural } from './structural.js';
export type { FieldError, RuleCompiler, StructuralSchema, ValidationRule } from './types.js';
