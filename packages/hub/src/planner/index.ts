export { planChange } from './plan.js';
export type { PlannedChange } from './plan.js';
export { type HubListing } from './listing.js';
export type { Difference } from './differences.js';
export type { Right } from './rights/rights.js';
export type { Certainty, EntryPlan, FailureForecast, GatePlan, Plan, WavePlan } from './types.js';
