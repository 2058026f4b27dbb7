/**
 * The contract between the console's browser app and its server. This package has no dependencies and uses neither the DOM nor Node.js, so
 * both sides can import it. The folder `testing` contains a synthetic fleet of any size for development, tests and benchmarks.
 */
export * from './actions.js';
export * from './addresses.js';
export * from './fleet.js';
export * from './fleet-table.js';
export * from './name-order.js';
export * from './session.js';
export * from './stream.js';
export * from './views/index.js';
