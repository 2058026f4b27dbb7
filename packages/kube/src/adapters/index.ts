export { createHttpTransport } from './http/transport.js';
export type { HttpTransport, HttpTransportOptions } from './http/transport.js';
export { loadConnection } from './load-connection.js';
export type { LoadConnectionOptions } from './load-connection.js';
export { createLogger } from './logger.js';
export type { LoggerOptions } from './logger.js';
export { createRealRuntime } from './real-runtime.js';
export type { RealRuntimeOptions } from './real-runtime.js';
