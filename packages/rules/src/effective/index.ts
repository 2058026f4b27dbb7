export { configuredCondition, effectiveConfigs, isComplete, isUnread, overridesOf, templateRef, withUnsupported } from './configs.js';
export type { EffectiveConfigs, Overrides, ReferenceProblem } from './configs.js';
export { currentConfigs, pickTarget, unofferedVersion } from './target.js';
export type { Target } from './target.js';
