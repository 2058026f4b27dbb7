/** Synthetic fleets of any size that follow the contract, for development of the app, tests and benchmarks. */
export { applyFleetDelta, decodeFleet } from './decode-fleet.js';
export { clusterName, randomOf, syntheticDeltas, syntheticFleet, syntheticFleetAfter } from './fleet.js';
export type { SyntheticOptions } from './fleet.js';
export { syntheticView } from './pages.js';
