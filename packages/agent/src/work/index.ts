export { createWork } from './create-work.js';
export type { Work, WorkOptions } from './create-work.js';
