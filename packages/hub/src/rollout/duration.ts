import { parseDuration } from '@outrigger/core';

/** Milliseconds, or undefined for what is no duration: a stored object the door would have refused must not stop a pass. */
export function durationMs(text: string): number | undefined {
  try {
    return parseDuration(text);
  } catch {
    return undefined;
  }
}
