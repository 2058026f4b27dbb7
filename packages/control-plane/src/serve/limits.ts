/** Limits on connections and requests. */
export interface Limits {
  /** HTTP/2 streams of one session: as in a Kubernetes API server, enough for an agent's watches. */
  readonly streamsPerSession: number;
  /** Enough for every stream of a session to have a chunk of a large response in flight. */
  readonly sessionMemoryMb: number;
  readonly bodyBytes: number;
  /** Header bytes of one request: enough for a token and the groups of an impersonated user. */
  readonly headerBytes: number;
  /**
   * Connections in the middle of a handshake. Above this number slow handshakes are closed to make room, or the new connection is rejected.
   */
  readonly handshakes: number;
  /** Connections that have shown no valid credential yet. Above this number the oldest is closed. */
  readonly unauthenticated: number;
  /** Requests without a valid credential on one HTTP/2 session; then it is closed. */
  readonly unauthenticatedRequests: number;
  /** A body that is not read because its request is rejected: one up to this size is discarded to keep the connection. */
  readonly discardedBytes: number;
  /** Requests answered at once, and how many of one caller may wait. Administrators and the server's own parts do not queue. */
  readonly concurrentRequests: number;
  readonly waitingPerCaller: number;
  readonly handshakeMs: number;
  readonly headersMs: number;
  /** How long a client may take to send its body; legitimate ones need milliseconds. */
  readonly bodyMs: number;
  /** How long a connection may be idle. A connection with an open watch is not idle. */
  readonly idleMs: number;
  /** A client that reads nothing of its response for this long is disconnected; it lists again to catch up. */
  readonly stalledMs: number;
  /** How long answers in progress may take after a stop before their connections are closed. */
  readonly drainMs: number;
}

export const LIMITS: Limits = {
  streamsPerSession: 250,
  sessionMemoryMb: 64,
  bodyBytes: 3 * 1024 * 1024,
  headerBytes: 32 * 1024,
  handshakes: 1000,
  unauthenticated: 100,
  unauthenticatedRequests: 100,
  discardedBytes: 64 * 1024,
  concurrentRequests: 256,
  waitingPerCaller: 1000,
  handshakeMs: 10_000,
  headersMs: 15_000,
  bodyMs: 30_000,
  idleMs: 120_000,
  stalledMs: 30_000,
  drainMs: 2_000,
};
