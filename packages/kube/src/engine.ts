/**
 * The parts of the controller runtime that do no I/O. The simulator uses the same queue, outcomes and error policy as the manager, but with
 * its own clock and without promises.
 */
export { adoptionPatch } from './executor/adoption.js';
export { firstBatch } from './executor/batch.js';
export type { Batch } from './executor/batch.js';
export type { ActionFailure, Execution } from './executor/executor.js';
export { FAILURE_BACKOFF, FAILURE_REST } from './runtime/backoffs.js';
export { OutcomeMemory } from './runtime/outcome-memory.js';
export { settle } from './runtime/settle.js';
