export { createClient } from './client.js';
export { ConnectionError, isConnectionError } from './connection-error.js';
export type { Discovery } from './discovery.js';
export { reflect } from './reflect.js';
export type { Client, JsonPatchOperation, ListOptions, Patch } from './types.js';
