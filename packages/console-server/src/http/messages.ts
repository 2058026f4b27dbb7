import type { ViewError } from '@outrigger/console-contract';

/** An HTTP request without its socket. Header names are in lower case; several values of one header are joined by commas. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export type Headers = Readonly<Record<string, string>>;

export type HttpAnswer =
  | { readonly status: number; readonly headers: Headers; readonly body: string | Uint8Array }
  /**
   * A stream of server-sent events. The function starts the stream and returns another function, which the adapter calls when the browser
   * disconnects.
   */
  | { readonly status: number; readonly headers: Headers; readonly stream: (sink: Sink) => () => void };

/** The destination of a stream. */
export interface Sink {
  send(data: string): void;
  /** Whether the browser reads more slowly than the stream sends. */
  readonly isBusy: boolean;
  close(): void;
}

const STATUS: Readonly<Record<ViewError['code'], number>> = {
  unauthorized: 401,
  'not-opened': 401,
  forbidden: 403,
  'not-found': 404,
  'bad-request': 400,
  conflict: 409,
  'not-ready': 503,
  'too-large': 413,
  failed: 502,
};

/** The failure of a view or an action, with a message for users. */
export class ViewFailure extends Error {
  override readonly name = 'ViewFailure';
  readonly code: ViewError['code'];

  constructor(code: ViewError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

export function json(status: number, value: unknown, headers: Headers = {}): HttpAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(value),
  };
}

export function failure(code: ViewError['code'], message: string, headers: Headers = {}): HttpAnswer {
  return json(STATUS[code], { code, message } satisfies ViewError, headers);
}
