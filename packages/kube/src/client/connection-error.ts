/**
 * No answer came. Unless `sent` is false it is unknown whether a write took effect, so only reads may be repeated blindly.
 * Tested by `name` (see `isConnectionError`), so that a second copy of this package still matches.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** The system's or the transport's code: `ECONNREFUSED`, `CERT_HAS_EXPIRED`, `TIMEOUT`. */
  readonly code: string;
  /** The server that was asked, without credentials. */
  readonly server: string;
  /** False when the request certainly never reached the server. */
  readonly sent: boolean;

  constructor(message: string, options: ErrorOptions & { readonly code: string; readonly server: string; readonly sent: boolean }) {
    super(message, options);
    this.code = options.code;
    this.server = options.server;
    this.sent = options.sent;
  }
}

export function isConnectionError(error: unknown, code?: string): error is ConnectionError {
  return error instanceof Error && error.name === 'ConnectionError' && (!code || (error as ConnectionError).code === code);
}
