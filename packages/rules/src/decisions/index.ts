export { MAX_OVERRIDE_MS, approvalOf, decidableGates, verbsFor } from './decidable.js';
export type { DecidableGate } from './decidable.js';
