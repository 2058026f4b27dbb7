import type {
  ApiRequest,
  ApiResponse,
  ApiStatus,
  Json,
  JsonObject,
  Kind,
  KubeList,
  KubeObject,
  ObjectKey,
  WatchEvent,
} from '@outrigger/core';
import type { Precondition } from '../decision.js';
import type { Discovery } from './discovery.js';

export interface RequestOptions {
  /** If aborted, ends the request or watch early, and the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Overrides the client's own deadline for one request. A watch has no deadline. It ends after `timeoutSeconds`. */
  readonly timeoutMs?: number;
}

export interface GetOptions extends RequestOptions {
  readonly subresource?: string;
  readonly resourceVersion?: string;
  /** Requests a PartialObjectMetadata, which contains only `metadata`. */
  readonly metadataOnly?: boolean;
}

/** Selects objects of a kind. By default, all objects are selected. */
export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends RequestOptions, Selection {
  /** Maximum number of items per response. For the remaining items, the server returns a `continue` token. */
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  readonly metadataOnly?: boolean;
}

export interface WatchOptions extends Selection {
  readonly signal?: AbortSignal;
  readonly resourceVersion?: string;
  readonly allowBookmarks?: boolean;
  /** The time after which the server ends the watch. */
  readonly timeoutSeconds?: number;
  readonly metadataOnly?: boolean;
  /** The time that the client may wait between two reads, so that one read returns all events that arrived in this time. */
  readonly gatherMs?: number;
}

export interface WriteOptions extends RequestOptions {
  /** Defaults to the client's. */
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  readonly dryRun?: boolean;
  readonly subresource?: string;
  /** Writes as this user, whom the client's own user must be allowed to impersonate. */
  readonly asUser?: string;
}

export interface ApplyOptions extends WriteOptions {
  /** Takes over fields that other field managers own. Without `force`, the server rejects such an apply with Conflict. */
  readonly force?: boolean;
}

export interface DeleteOptions extends RequestOptions {
  readonly precondition?: Partial<Precondition>;
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
}

export type Patch =
  /** RFC 7386. */
  | { readonly type: 'merge'; readonly patch: JsonObject }
  /** RFC 6902. */
  | { readonly type: 'json'; readonly patch: readonly JsonPatchOperation[] }
  /** A strategic merge patch; only built-in kinds support it. */
  | { readonly type: 'strategic'; readonly patch: JsonObject };

export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/** The server's rendering of a list as a table (`meta.k8s.io/v1 Table`). */
export interface Table {
  readonly kind: 'Table';
  readonly apiVersion: string;
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly columnDefinitions: readonly TableColumn[];
  readonly rows: readonly { readonly cells: readonly Json[]; readonly object: KubeObject }[];
}

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 for columns that are shown by default; higher values are for wide output. */
  readonly priority: number;
}

/**
 * Requests to one API server, for any kind. Every method resolves with the object in the server's response, so that a caller can read its
 * own write. It rejects with `ApiError` for an error response and with `ConnectionError` if no response was received. Callers must not
 * modify returned objects, because an in-process server returns its stored objects.
 */
export interface Client {
  get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, options?: GetOptions): Promise<T>;
  /** One page. */
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<KubeList<T>>;
  /** Lists all items over as many pages as necessary. Only one page is in memory at a time. */
  listAll<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): AsyncIterableIterator<T>;
  table(kind: Kind, options?: ListOptions): Promise<Table>;
  /**
   * Watches events after `resourceVersion`, including bookmarks and ERROR events. Ends when the server ends the watch, and throws
   * `ConnectionError` when the connection breaks. `reflect` implements the loop that resumes watches.
   */
  watch<T extends KubeObject>(kind: Kind<T>, options?: WatchOptions): AsyncIterableIterator<WatchEvent<T>>;
  create<T extends KubeObject>(kind: Kind<T>, object: T, options?: WriteOptions): Promise<T>;
  /** Posts to a subresource that has a different kind: `token`, `eviction`, `binding`. */
  createSubresource<T extends KubeObject>(
    kind: Kind,
    key: ObjectKey,
    subresource: string,
    object: T,
    options?: Omit<WriteOptions, 'subresource'>,
  ): Promise<T>;
  /** Replaces the whole object, or one subresource of it (`status`, `approval`, `scale`). */
  replace<T extends KubeObject>(kind: Kind<T>, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<T>;
  /** Server-side apply: `object` contains exactly the fields the manager wants to own. */
  apply<T extends KubeObject>(kind: Kind<T>, object: T, options?: ApplyOptions): Promise<T>;
  /** Resolves with the object if it still exists (because of finalizers or a grace period), otherwise with the server's Status. */
  delete<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, options?: DeleteOptions): Promise<T | ApiStatus>;
  deleteCollection(kind: Kind, options?: DeleteOptions & Selection): Promise<void>;
  /** Sends an arbitrary request, with the same limits and errors as the other methods. */
  raw(request: ApiRequest, options?: RequestOptions): Promise<ApiResponse>;
  readonly discovery: Discovery;
}
