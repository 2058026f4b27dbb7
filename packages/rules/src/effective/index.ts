export { configuredCondition, effectiveConfigs, overridesOf } from './configs.js';
export type { EffectiveConfigs, Overrides } from './configs.js';
export { pickTarget } from './target.js';
export type { Target } from './target.js';
