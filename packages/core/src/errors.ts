/** The machine-readable reasons of a Kubernetes Status, as the API server spells them. */
export type ApiReason =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'Invalid'
  | 'TooManyRequests'
  | 'InternalError'
  | 'ServiceUnavailable'
  | 'Timeout'
  | 'ServerTimeout'
  | 'Unknown';

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** The `Status` object that a Kubernetes API server returns if a request fails (or a delete succeeds). */
export interface ApiStatus {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: ApiReason;
  readonly details?: StatusDetails;
  readonly code: number;
}

const CODES: Readonly<Record<ApiReason, number>> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
  ServerTimeout: 504,
  Unknown: 500,
};

/** An error response from an API server. Branch on `reason`, never on `message`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly reason: ApiReason;
  readonly code: number;
  readonly details: StatusDetails | undefined;

  constructor(reason: ApiReason, message: string, options: ErrorOptions & { details?: StatusDetails; code?: number } = {}) {
    super(message, options);
    this.reason = reason;
    this.code = options.code ?? CODES[reason];
    this.details = options.details;
  }

  toStatus(): ApiStatus {
    const details = this.details ? { details: this.details } : {};
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      // Omit the reason `Unknown` from the Status.
      ...(this.reason === 'Unknown' ? {} : { reason: this.reason }),
      ...details,
      code: this.code,
    };
  }

  static fromStatus(status: Partial<ApiStatus>, fallbackCode = 500): ApiError {
    const code = status.code ?? fallbackCode;
    return new ApiError(status.reason ?? reasonForCode(code), status.message ?? `the server answered ${code}`, {
      code,
      ...(status.details ? { details: status.details } : {}),
    });
  }
}

function reasonForCode(code: number): ApiReason {
  const found = Object.entries(CODES).find(([, value]) => value === code);
  return (found?.[0] as ApiReason | undefined) ?? 'Unknown';
}

/** An error that no retry can fix until the object changes. The runtime reports and counts the error, but does not requeue the key. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

/** Whether an error is an ApiError. Compares `name`, not the class, so that errors from a second copy of this package also match. */
export function isApiError(error: unknown, reason?: ApiReason): error is ApiError {
  return error instanceof Error && error.name === 'ApiError' && (!reason || (error as ApiError).reason === reason);
}

/** Resolves with the response, or with undefined if the API server reports NotFound. */
export async function ifFound<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

export function assertNever(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
