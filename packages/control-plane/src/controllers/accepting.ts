import { type ApiReason, isApiError } from '@outrigger/core';

/** Awaits a write for which some refusals are as good as success: undefined then. */
export async function accepting<T>(write: Promise<T>, ...reasons: readonly ApiReason[]): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (reasons.some((reason) => isApiError(error, reason))) return undefined;
    throw error;
  }
}
