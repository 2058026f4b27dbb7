export { explainFleet } from './fleet.js';
export type { CauseGroup, FleetExplanation } from './fleet.js';
export { explainSelection } from './selection.js';
export { EMPTY, snapshotLookups } from './snapshot.js';
export type { Snapshot } from './snapshot.js';
export { explain } from './why.js';
