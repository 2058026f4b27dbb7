export { DEFAULT_COST_LIMIT } from './budget.js';
export { CelBudgetError, CelCompileError, CelEvaluationError } from './errors.js';
export { compileExpression } from './expression.js';
export type { Expression, ExpressionFunction, ExpressionOptions, ExpressionType } from './expression.js';
export { createRuleCompiler } from './rules.js';
export { escapePropertyName } from './schema-types.js';
