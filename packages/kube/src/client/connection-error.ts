/**
 * Thrown if no response was received. Unless `sent` is false, a write may have taken effect, so only reads may be repeated unconditionally.
 * `isConnectionError` recognizes the error by its name, so that errors from a second copy of this package also match.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** The code of the system or the transport, such as `ECONNREFUSED`, `CERT_HAS_EXPIRED` or `TIMEOUT`. */
  readonly code: string;
  /** The URL of the server, without credentials. */
  readonly server: string;
  /** Whether the request may have reached the server. False only if the request definitely did not. */
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
