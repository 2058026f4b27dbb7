export { defineController, watch } from './controller.js';
export type { Change, Controller, EffectHandler, Now, Outcomes, Refusal, Watch } from './controller.js';
export { NOTHING } from './decision.js';
export type { Action, Decision, EventIntent, Precondition } from './decision.js';
export type { ApiName, CacheView, Index, Intern, Projected, Resource } from './resource.js';
export {
  ConnectionError,
  createClient,
  createInProcessTransport,
  isConnectionError,
} from './client/index.js';
export type {
  ApplyOptions,
  Client,
  ClientConfig,
  DeleteOptions,
  Discovery,
  GetOptions,
  JsonPatchOperation,
  Limits,
  ListOptions,
  Patch,
  RequestHandler,
  RequestOptions,
  Selection,
  ServedResource,
  Table,
  TableColumn,
  WatchOptions,
  WriteOptions,
} from './client/index.js';
export { noMetrics } from './metrics/metrics.js';
export type { Counter, Gauge, Histogram, Labels, MetricDefinition, Metrics } from './metrics/metrics.js';
export { createHttpTransport, createLogger, createRealRuntime } from './adapters/index.js';
export type { HttpTransport, HttpTransportOptions, LoggerOptions, RealRuntimeOptions } from './adapters/index.js';
export { ConfigError } from './kubeconfig/connection.js';
export type { ConnectionConfig, ExecPlugin, Impersonation, PemSource } from './kubeconfig/connection.js';
