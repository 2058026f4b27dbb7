export { Agenda } from './agenda.js';
export type { Actor, ApiEvent } from './api-event.js';
export { effectClient } from './effect-client.js';
export { HubProcess } from './hub-process.js';
export { MemoryApi } from './memory-api.js';
export type { Snapshot } from './memory-api.js';
export { LayeredIntern, Projections } from './projection-cache.js';
export type { Fate, Weather } from './weather.js';
