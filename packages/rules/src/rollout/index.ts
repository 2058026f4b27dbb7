export { decideEntry } from './admit.js';
export type { EntryDecision, EntryState, PhaseCounts } from './entry.js';
export type { Admission, ClusterObservation, TargetReport } from './phase.js';
export { failures } from './place.js';
export { amountOf, readAmount, readStrategy } from './strategy.js';
export { entryTargets } from './targets.js';
export type { EntryTargets, TargetState } from './targets.js';
