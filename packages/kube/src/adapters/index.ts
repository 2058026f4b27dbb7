export { BoundedConnections } from './bounded-connections.js';
export { serveEndpoints } from './endpoint-server.js';
export { createHttpTransport } from './http/transport.js';
export { loadConnection } from './load-connection.js';
export { createLogger } from './logger.js';
export { createPrometheusMetrics } from './prometheus.js';
export type { PrometheusMetrics } from './prometheus.js';
export { createRealRuntime } from './real-runtime.js';
export { sendBounded } from './bounded-request.js';
