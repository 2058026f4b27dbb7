import type { ApiRequest, ApiResponse, JsonObject, KubeObject, Runtime, WatchEvent, Admission, AdmissionRequest } from '@outrigger/core';
import type { ProcessUsage } from '../metrics/server-metrics.js';
import type { Store } from '../store/contract.js';
import type { HistoryOptions } from '../store/history.js';
import type { WebhookTransport } from '../webhooks/contract.js';

/** The requester, which has already been authenticated. `handle` does not get credentials. */
export interface Identity {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/**
 * The core of the API server: handles one request. Never rejects because of something the caller did; errors are responses with a `Status`
 * body. The response to a watch has `events`, which end when `signal` is aborted, when the watch times out, or when the server stops.
 * Response bodies are frozen and may be shared.
 */
export type Handle = (request: ApiRequest, identity: Identity, signal?: AbortSignal) => Promise<ApiResponse>;

/** A watch event. It is encoded once, and all watchers that receive it in the same format share the bytes. */
export interface ServedWatchEvent extends WatchEvent {
  /** The encoded event: a line of JSON with its newline, or a protobuf frame. */
  readonly line: Uint8Array;
}

/** The events of a watch. `poll` returns the next event if one is queued already, so that a reader can send several at once. */
export interface ServedWatchEvents extends AsyncIterable<ServedWatchEvent> {
  poll?(): ServedWatchEvent | undefined;
}

export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  /** Non-resource requests use the lower-case HTTP method. */
  | 'post'
  | 'put'
  | 'head'
  | 'options';

/** A request in the terms of RBAC rules. */
export interface Attributes {
  readonly identity: Identity;
  readonly verb: string;
  /** The path of a non-resource request, such as `/healthz` or `/apis`. */
  readonly nonResourcePath?: string;
  readonly group: string;
  readonly version: string;
  /** The plural; empty for non-resource requests. */
  readonly resource: string;
  readonly subresource: string;
  /** The namespace; empty for cluster-scoped requests and lists over all namespaces. */
  readonly namespace: string;
  readonly name: string;
}

export interface AuthorizationDecision {
  readonly allowed: boolean;
  /** The reason why the request is allowed or denied, for the error message. */
  readonly reason?: string;
}

export type Authorizer = (attributes: Attributes) => AuthorizationDecision | Promise<AuthorizationDecision>;

/** A write as the server's own admission sees it: the AdmissionRequest, and data that only this process has. */
export interface AdmissionAttributes extends AdmissionRequest {
  /** The subresource; empty for the object itself. */
  readonly subResource: string;
  /** The namespace; empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  /** The name in the path of the request; empty for a POST, which has the name only in its body. */
  readonly pathName: string;
  readonly identity: Identity;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Returns the options of the request (`CreateOptions` and the like), built on demand. */
  readonly options: () => JsonObject;
  /** Sends a warning to the caller, whether or not the request succeeds. */
  readonly warn: (warning: string) => void;
  readonly dryRun: boolean;
}

/**
 * Admission that runs inside the server. A rule that reads only the AdmissionRequest can run inside the server as well as behind a webhook.
 */
export type ServerAdmission = Admission<AdmissionAttributes>;

export interface VirtualRequest {
  readonly identity: Identity;
  /** The body of the request, defaulted and pruned like any object of its kind. */
  readonly object: KubeObject;
  readonly namespace: string;
  /** For a subresource (`serviceaccounts/<name>/token`), the name of the parent; otherwise empty. */
  readonly name: string;
  readonly parent?: KubeObject;
  readonly dryRun: boolean;
}

/**
 * Handlers for create requests for kinds that are never stored, by `<group>/<plural>[/<subresource>]` with an empty group for the core
 * group: `authorization.k8s.io/subjectaccessreviews`, `/serviceaccounts/token`. A handler throws an `ApiError` to reject the request.
 */
export type VirtualHandlers = Readonly<Record<string, (request: VirtualRequest) => Promise<KubeObject>>>;

/** Converts an object of a CRD to another version. Must not change metadata other than labels and annotations. */
export type Convert = (object: KubeObject, toApiVersion: string) => KubeObject;

/** A served resource, with the properties that discovery, garbage collection and namespace deletion use. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Whether `version` is the storage version. A loop over storage versions visits every object exactly once. */
  readonly isStorageVersion: boolean;
  /** The verbs that the resource supports. Virtual resources (reviews) only support `create`. */
  readonly verbs: readonly Verb[];
}

/** A document that does not change while the server runs. */
export interface NonResourceDocument {
  readonly contentType: string;
  readonly body: object;
}

export interface ApiServerOptions {
  readonly runtime: Runtime;
  readonly store: Store;
  /** Authorizes requests. Without it, every request is allowed. */
  readonly authorize?: Authorizer;
  readonly admission?: readonly ServerAdmission[];
  readonly virtual?: VirtualHandlers;
  /** Further documents that the server sends, by path. Reading them needs the right to `get` the path. */
  readonly documents?: Readonly<Record<string, NonResourceDocument>>;
  readonly convert?: Convert;
  /**
   * Whether `convert`, instead of the webhook, converts the objects of a CRD that names a conversion webhook. By default, it does for every
   * CRD.
   */
  readonly convertsInProcess?: (definition: string) => boolean;
  /** Whether an identity is exempt from webhooks and policies. By default, none is. */
  readonly isExempt?: (identity: Identity) => boolean;
  /** Sends the calls to webhooks. Without it, no webhook is called, and requests that need a webhook are rejected. */
  readonly webhooks?: WebhookTransport;
  /** The limits on the history that the server keeps. Watches and list pages that need older history must start again. */
  readonly history?: HistoryOptions;
  /** Returns the resource usage of the process, for `/metrics`. */
  readonly processUsage?: () => ProcessUsage;
}

export interface ApiServer {
  readonly handle: Handle;
  readonly store: Store;
  /** Returns all resources that are served now, including custom ones. */
  resources(): readonly ServedResource[];
  /** Ends all watches and background work. The store stays open. */
  close(): void;
}
