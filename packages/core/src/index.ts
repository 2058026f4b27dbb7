export { conditionStatus, findCondition, isConditionTrue, removeCondition, setCondition } from './conditions.js';
export type { ConditionInput } from './conditions.js';
export { ApiError, TerminalError, assertNever, errorMessage, isApiError } from './errors.js';
export type { ApiReason, ApiStatus, StatusCause, StatusDetails } from './errors.js';
export { isJsonObject } from './json.js';
export type { Json, JsonObject, MutableJson, MutableJsonObject } from './json.js';
export { apiVersionOf, keyOf, keyString, parseKey } from './meta.js';
export type {
  Condition,
  ConditionStatus,
  Kind,
  KubeList,
  KubeObject,
  ListMeta,
  ManagedFieldsEntry,
  ObjectKey,
  ObjectMeta,
  OwnerReference,
} from './meta.js';
export type { Cancel, Clock, Keys, LogFields, Logger, Random, Runtime, Scope, Timers } from './runtime.js';
export { parseTime, toMicroTime, toTime } from './time.js';
export type { ApiRequest, ApiResponse, Transport, WatchEvent } from './transport.js';
