import { NO_ATTEMPTS } from './attempts.js';
import { NO_INSPECTIONS } from './inspection/inspection.js';
import type { WorkMemory } from './state.js';

/** The initial in-memory state of a work. */
export const NO_MEMORY: WorkMemory = { attempts: NO_ATTEMPTS, contest: {}, inspections: NO_INSPECTIONS };
