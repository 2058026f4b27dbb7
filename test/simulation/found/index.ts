import { ADMISSIONS } from './admissions.js';
import { FAILURES } from './failures.js';
import { GATES } from './gates.js';
import { GROUPS } from './groups.js';
import { JOINS } from './joins.js';
import { SOAKS } from './soaks.js';
import { WAKES } from './wakes.js';
import { WRITES } from './writes.js';
import type { Found } from './found.js';

/** Every history that once violated an invariant, by theme. A new one goes to the file of its theme. */
export const FOUND: readonly Found[] = [...ADMISSIONS, ...FAILURES, ...GATES, ...GROUPS, ...JOINS, ...SOAKS, ...WAKES, ...WRITES];
