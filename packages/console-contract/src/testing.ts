/** Synthetic fleets of any size that follow the contract, for development of the app, tests and benchmarks. */
export { clusterName, randomOf, syntheticDeltas, syntheticFleet, syntheticFleetAfter } from './synthetic/fleet.js';
export type { SyntheticOptions } from './synthetic/fleet.js';
export { syntheticView } from './synthetic/pages.js';
