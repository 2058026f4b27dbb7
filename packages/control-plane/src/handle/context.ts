import type { ApiRequest, Runtime } from '@outrigger/core';
import type { Accepted } from '../request/negotiate.js';
import type { Query } from '../request/query.js';
import type { ResourcePath } from '../request/path.js';
import type { RequestMetrics } from '../metrics/request-metrics.js';
import type { ProcessUsage } from '../metrics/server-metrics.js';
import type { OpenApiDocuments } from '../openapi/documents.js';
import type { Registry } from '../registry/registry.js';
import type { Resource } from '../registry/resource.js';
import type { Store } from '../store/contract.js';
import type { ServerAdmission, Authorizer, Identity, NonResourceDocument, VirtualHandlers } from './contract.js';
import type { WatchHub } from './watch/hub.js';

/** The state that all requests share. */
export interface ServerState {
  readonly runtime: Runtime;
  readonly store: Store;
  readonly registry: Registry;
  readonly openApi: OpenApiDocuments;
  readonly watches: WatchHub;
  readonly requests: RequestMetrics;
  readonly processUsage: (() => ProcessUsage) | undefined;
  readonly authorize: Authorizer;
  readonly admission: ServerAdmission;
  readonly virtual: VirtualHandlers;
  readonly documents: Readonly<Record<string, NonResourceDocument>>;
}

/** A parsed and authorized request for a resource. */
export interface RequestContext {
  readonly server: ServerState;
  readonly request: ApiRequest;
  readonly query: Query;
  readonly identity: Identity;
  readonly path: ResourcePath;
  readonly resource: Resource;
  readonly accepted: Accepted;
  /** The warnings collected while the request is handled. They are sent as `Warning` headers. */
  readonly warnings: string[];
  readonly signal: AbortSignal | undefined;
}
