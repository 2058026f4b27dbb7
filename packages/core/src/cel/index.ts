export { CelBudgetError, CelCompileError, CelEvaluationError } from './errors.js';
export { compileExpression } from './expression.js';
export type { Expression, ExpressionFunction } from './expression.js';
export { createRuleCompiler } from './rules.js';
