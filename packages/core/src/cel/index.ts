export { DEFAULT_COST_LIMIT } from './budget.js';
export { CelBudgetError, CelCompileError, CelEvaluationError } from './errors.js';
export { createRuleCompiler } from './rules.js';
