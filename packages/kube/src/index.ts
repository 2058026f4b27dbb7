export { defineController, watch } from './controller.js';
export type {
  AnyController,
  Change,
  Controller,
  EffectContext,
  EffectHandler,
  EffectHandlers,
  KeyMemory,
  Now,
  Outcomes,
  Refusal,
  Source,
  SourceContext,
  Watch,
  Written,
} from './controller.js';
export { NOTHING } from './decision.js';
export type { Action, AnyAction, AnyDecision, ApiAction, Decision, EffectAction, EventIntent } from './decision.js';
export type { CacheView, Index, Intern, Projected, Resource } from './resource.js';
export {
  ConnectionError,
  createClient,
  isConnectionError,
  reflect,
} from './client/index.js';
export type { Client, Discovery, JsonPatchOperation, ListOptions, Patch } from './client/index.js';
export { tally } from './metrics/tally.js';
export type { Tally } from './metrics/tally.js';
export { createEndpoints } from './server/endpoints.js';
export type { HealthCheck } from './server/endpoints.js';
export { ConfigError, parseKubeconfig, resolveKubeconfig } from './kubeconfig/index.js';
export type { ConnectionConfig } from './kubeconfig/index.js';
export { shouldRetry } from './executor/error-policy.js';
export { createManager } from './runtime/manager.js';
export type { Manager } from './runtime/manager.js';
export { UNKNOWN } from './live/live.js';
export type { Live } from './live/live.js';
export { LiveObjects } from './live/live-objects.js';
export { keyOfRef, objectId, versionedId } from './live/object-ref.js';
export type { ObjectRef } from './live/object-ref.js';
export { optionalWatches } from './runtime/optional-watches.js';
export { unreadableKinds } from './runtime/troubles.js';
export type { Trouble } from './runtime/troubles.js';
export { fenceTransport, isNotLeading } from './leader/fence.js';
export type { Leader } from './leader/leader.js';
export { createLeaseLeader } from './leader/lease-leader.js';
