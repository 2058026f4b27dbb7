export { defineController, watch } from './controller.js';
export type { Change, Controller, EffectHandler, Now, Outcomes, Refusal, Watch } from './controller.js';
export { NOTHING } from './decision.js';
export type { Action, Decision, EventIntent, Precondition } from './decision.js';
export type { ApiName, CacheView, Index, Intern, Projected, Resource } from './resource.js';
