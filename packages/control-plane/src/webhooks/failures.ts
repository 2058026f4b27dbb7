import { ApiError, type ApiReason, isJsonObject, type JsonObject } from '@outrigger/core';

/** Thrown if a webhook cannot be called or its response is invalid. The webhook's failure policy then applies. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  constructor(webhook: string, why: string, options?: ErrorOptions) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${why}`, options);
  }
}

/** Returns the error for a request that a webhook denied, with the status that the webhook returned, but never with a success code. */
export function denied(webhook: string, status: JsonObject | undefined): ApiError {
  const by = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const { message, reason, code, details } = status ?? {};
  const why = text(message) ?? text(reason);
  return new ApiError((text(reason) ?? 'Unknown') as ApiReason, why === undefined ? `${by} without explanation` : `${by}: ${why}`, {
    code: typeof code === 'number' && code >= 400 ? code : 400,
    ...(isJsonObject(details) ? { details } : {}),
  });
}

export function dryRunUnsupported(webhook: string): ApiError {
  return new ApiError('BadRequest', `admission webhook ${JSON.stringify(webhook)} does not support dry run`);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
