import { type ApiReason, isApiError } from '@outrigger/core';

/**
 * Awaits a write. If the server rejects it for one of `reasons`, the rejection counts as success and the promise resolves with undefined.
 */
export async function accepting<T>(write: Promise<T>, ...reasons: readonly ApiReason[]): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (reasons.some((reason) => isApiError(error, reason))) return undefined;
    throw error;
  }
}
