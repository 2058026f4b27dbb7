/** HTTP headers. Names are in lower case. A header with several values is sent as several lines. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** One encoded request. */
export interface Message {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body?: string | Uint8Array;
  readonly isWatch: boolean;
  /** See `ApiRequest`. */
  readonly gatherMs?: number | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Carries encoded requests over connections that share one set of credentials. Errors are `ConnectionError`s or the signal's reason. */
export interface Carrier {
  exchange(message: Message, signal: AbortSignal | undefined): Promise<Answer>;
  /** Waits for requests in flight. Ends watches immediately, because a watch could outlive the credentials with which it was opened. */
  close(): Promise<void>;
}
