export { createClient } from './client.js';
export type { ClientConfig } from './client.js';
export { ConnectionError, isConnectionError } from './connection-error.js';
export type { Discovery } from './discovery.js';
export type { ServedResource } from './discovery-documents.js';
export { reflect } from './reflect.js';
export type { ReflectOptions } from './reflect.js';
export type { ReflectorEvent } from './reflector.js';
export type { Limits } from './send.js';
export type {
  ApplyOptions,
  Client,
  DeleteOptions,
  GetOptions,
  JsonPatchOperation,
  ListOptions,
  Patch,
  RequestOptions,
  Selection,
  Table,
  TableColumn,
  WatchOptions,
  WriteOptions,
} from './types.js';
