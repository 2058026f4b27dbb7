import { ADMISSIONS } from './admissions.js';
import { FAILURES } from './failures.js';
import { GATES } from './gates.js';
import { SOAKS } from './soaks.js';
import { WAKES } from './wakes.js';
import { WRITES } from './writes.js';
import type { Found } from './found.js';

/** Every history that once violated an invariant, by theme. A new one goes to the file of its theme. */
export const FOUND: readonly Found[] = [...ADMISSIONS, ...FAILURES, ...GATES, ...SOAKS, ...WAKES, ...WRITES];
