export { MAX_OVERRIDE_MS, approvalOf, decidableGates, verbsFor } from './decidable.js';
export type { DecidableGate, DecisionVerb } from './decidable.js';
