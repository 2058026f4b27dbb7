/** Limits on connections and requests. */
export interface Limits {
  /** The maximum number of HTTP/2 streams in one session, as on a Kubernetes API server. It is sufficient for an agent's watches. */
  readonly streamsPerSession: number;
  /**
   * The number of streams that the client of one session may cancel at once (`resetsPerSession`), and the number of further streams that it
   * may cancel per second (`resetsPerSecond`). Above these numbers, the connection is closed. Legitimate clients cancel only watches, a few
   * at a time. At 1,000 cancelled streams, nghttp2 itself stops serving a session, but leaves its connection open.
   */
  readonly resetsPerSession: number;
  readonly resetsPerSecond: number;
  /** The memory limit of a session, sufficient for one chunk of a large response per stream. */
  readonly sessionMemoryMb: number;
  readonly bodyBytes: number;
  /** The maximum size of the headers of one request. It is sufficient for a token and the groups of an impersonated user. */
  readonly headerBytes: number;
  /**
   * The maximum number of connections in a handshake. Above this number, the oldest handshake is closed if it is slow; otherwise the new
   * connection is rejected.
   */
  readonly handshakes: number;
  /** The maximum number of connections that have not presented a valid credential. Above this number, the oldest is closed. */
  readonly unauthenticated: number;
  /** The maximum number of requests without a valid credential on one HTTP/2 session. After that, the session is closed. */
  readonly unauthenticatedRequests: number;
  /** If the server rejects a request without reading its body, it discards a body of up to this size to keep the connection. */
  readonly discardedBytes: number;
  /**
   * The maximum number of concurrent requests, and of waiting requests per caller. Requests by administrators and by the server's own
   * components do not wait.
   */
  readonly concurrentRequests: number;
  readonly waitingPerCaller: number;
  /** The maximum number of open watches of one user. A manager or an agent has fewer than a hundred. */
  readonly watchesPerUser: number;
  readonly handshakeMs: number;
  readonly headersMs: number;
  /** The time in milliseconds in which a client must send its body. Legitimate clients need only a few milliseconds. */
  readonly bodyMs: number;
  /** The time in milliseconds after which an idle connection is closed. A connection with an open watch is not idle. */
  readonly idleMs: number;
  /** The time in milliseconds after which a client that reads nothing of its response is disconnected. The client must then list again. */
  readonly stalledMs: number;
  /**
   * The time in milliseconds for which the server, after it was stopped, waits for responses in progress before it closes their
   * connections.
   */
  readonly drainMs: number;
}

export const LIMITS: Limits = {
  streamsPerSession: 250,
  resetsPerSession: 500,
  resetsPerSecond: 50,
  sessionMemoryMb: 64,
  bodyBytes: 3 * 1024 * 1024,
  headerBytes: 32 * 1024,
  handshakes: 1000,
  unauthenticated: 100,
  unauthenticatedRequests: 100,
  discardedBytes: 64 * 1024,
  concurrentRequests: 256,
  waitingPerCaller: 1000,
  watchesPerUser: 2000,
  handshakeMs: 10_000,
  headersMs: 15_000,
  bodyMs: 30_000,
  idleMs: 120_000,
  stalledMs: 30_000,
  drainMs: 2_000,
};
