/** Content whose image tag starts with `bad` never becomes available. It misses its deadline after this time. */
const DEADLINE_MS = 10_000;
/** Content whose image tag starts with `slow` becomes available after this time. */
const SLOW_MS = 40_000;
const READY_MS = 2_000;

/** Returns the state of a workload with this image at a given time, and when that state changes. */
export function fateOfImage(
  image: string,
  startedAt: number,
  now: number,
): { readonly isReady: boolean; readonly isStuck: boolean; readonly recheckAt: number | undefined } {
  const tag = image.slice(image.indexOf(':') + 1);
  if (tag.startsWith('bad')) {
    const isStuck = now >= startedAt + DEADLINE_MS;
    return { isReady: false, isStuck, recheckAt: isStuck ? undefined : startedAt + DEADLINE_MS };
  }
  const readyAt = startedAt + (tag.startsWith('slow') ? SLOW_MS : READY_MS);
  return { isReady: now >= readyAt, isStuck: false, recheckAt: now < readyAt ? readyAt : undefined };
}
