export { TallyGauge } from './metrics/tally.js';
export { createMemoryApi } from './simulation/memory-api.js';
export { CALM, connect } from './simulation/network.js';
export type { Faults } from './simulation/network.js';
export { Simulator } from './simulation/simulator.js';
export { brief, briefly, nowAt, outcomesOf, passOf, viewOf } from './simulation/table-tests.js';
export { createVirtualRuntime } from './simulation/virtual-runtime.js';
export type { VirtualRuntime } from './simulation/virtual-runtime.js';
