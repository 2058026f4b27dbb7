/** Synthetic fleets of any size behind the contract: for the app's development, for tests and for the bench. */
export { clusterName, randomOf, syntheticDeltas, syntheticFleet, syntheticFleetAfter } from './synthetic/fleet.js';
export type { SyntheticOptions } from './synthetic/fleet.js';
export { syntheticView } from './synthetic/pages.js';
