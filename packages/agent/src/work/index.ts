export { createWork } from './create-work.js';
export type { WorkOptions } from './create-work.js';
