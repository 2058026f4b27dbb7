export { MAX_OVERRIDE_MS, approvalOf, decidableGates, isRejection, verbsFor } from './decidable.js';
export type { DecidableGate } from './decidable.js';
