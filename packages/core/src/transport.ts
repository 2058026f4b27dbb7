import type { Json } from './json.js';
import type { KubeObject } from './meta.js';

/**
 * A Kubernetes API request, independent of how it is sent. A client builds the request, a transport sends it, and a server handles it.
 * Between a client and an embedded server in one process, the request is passed unchanged. Over a socket, the request is encoded.
 */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below the server's root, percent-encoded, without the query: `/api/v1/namespaces/a%20b`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** The headers, with lower-case names. `content-type` describes `body`; `accept` describes the wanted response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A parsed value, or the bytes as they came from a socket. */
  readonly body?: Json | KubeObject | Uint8Array;
  /** Whether the response is a stream of watch events. It must agree with `query`. */
  readonly watch?: boolean;
  /**
   * For a watch: the time that the client may wait between two reads, so that one read returns all events that arrived in this time. A
   * transport without sockets ignores this field.
   */
  readonly gatherMs?: number;
  readonly timeoutMs?: number;
}

export interface WatchEvent<T extends KubeObject = KubeObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  /** The object; a Status for `ERROR`, and an object with only `metadata.resourceVersion` for `BOOKMARK`. */
  readonly object: T;
}

export interface ApiResponse {
  readonly status: number;
  /** The headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed response body; absent on a watch. Callers must not modify the body. */
  readonly body?: unknown;
  /** The events of a watch. The iteration ends when the server ends the watch. It throws when the connection breaks. */
  readonly events?: AsyncIterable<WatchEvent>;
}

/**
 * Sends requests to one API server. Resolves with the server's response, including error responses. Rejects only if there was no response;
 * it is then unknown whether a write took effect. Aborting `signal` ends a request or a watch.
 */
export interface Transport {
  send(request: ApiRequest, signal?: AbortSignal): Promise<ApiResponse>;
  close(): Promise<void>;
}
