import { parseDuration } from '@outrigger/core';

/** Milliseconds, or undefined if the text is not a duration: a stored object that admission would have rejected must not stop a pass. */
export function durationMs(text: string): number | undefined {
  try {
    return parseDuration(text);
  } catch {
    return undefined;
  }
}
