import { setMaxListeners } from 'node:events';

/**
 * A signal that is aborted when any of its parent signals is. Its listeners can be removed, so that long-lived parents do not accumulate
 * listeners.
 */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
  readonly release: () => void;
}

export function linkSignals(parents: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const releases: (() => void)[] = [];
  for (const parent of parents) {
    if (!parent) continue;
    if (parent.aborted) {
      controller.abort(parent.reason);
      break;
    }
    // Disable Node's warning, because one listener per request in flight is not a leak.
    setMaxListeners(0, parent);
    const follow = (): void => controller.abort(parent.reason);
    parent.addEventListener('abort', follow, { once: true });
    releases.push(() => parent.removeEventListener('abort', follow));
  }
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => {
      for (const release of releases) release();
    },
  };
}

/** Settles with `work`, or rejects as soon as the signal aborts, even if `work` never settles. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    // Ignore a rejection of this promise, because the caller no longer waits for it.
    work.catch(() => undefined);
    throw signal.reason;
  }
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
