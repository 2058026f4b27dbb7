export { TallyGauge } from '../src/metrics/tally.js';
export { createMemoryApi } from './memory-api.js';
export { CALM, connect } from './network.js';
export type { Faults } from './network.js';
export { Simulator } from './simulator.js';
export { brief, briefly, nowAt, outcomesOf, passOf, viewOf } from './table-tests.js';
export { createVirtualRuntime } from './virtual-runtime.js';
export type { VirtualRuntime } from './virtual-runtime.js';
