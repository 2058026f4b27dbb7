export { degradedCondition, frozenDependencies, unsatisfiedDependencies } from './evaluate.js';
export type { DependencyLookups } from './evaluate.js';
