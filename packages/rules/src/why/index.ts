export { explainFleet } from './fleet.js';
export type { CauseGroup, FleetExplanation } from './fleet.js';
export { isUnrendered } from './renderer.js';
export { isHalted, resumeCommand, rollbackCommand } from './rollout-state.js';
export { explainSelection } from './selection.js';
export { EMPTY, snapshotLookups } from './snapshot.js';
export type { Snapshot } from './snapshot.js';
export { brokenStep, reportedStep, stateOfStep } from './step.js';
export { explain } from './why.js';
