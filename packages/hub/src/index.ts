export { createHub } from './hub.js';
export type { HubOptions } from './hub.js';
