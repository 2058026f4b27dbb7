import { type ApiReason, isApiError } from '@outrigger/core';

/** Awaits a write. Resolves with undefined if it was rejected for one of `reasons`, which are then treated as success. */
export async function accepting<T>(write: Promise<T>, ...reasons: readonly ApiReason[]): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (reasons.some((reason) => isApiError(error, reason))) return undefined;
    throw error;
  }
}
