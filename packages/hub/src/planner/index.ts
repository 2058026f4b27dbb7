export { planChange, planListed, planResources, RUNS } from './plan.js';
export type { PlannedChange, PlanRequest } from './plan.js';
export { type HubListing } from './listing.js';
export type { Difference } from './differences.js';
export type { Obstacle } from './obstacles.js';
export type { Right } from './rights/rights.js';
export type { Certainty, EntryPlan, FailureForecast, GatePlan, Plan, WavePlan } from './types.js';
