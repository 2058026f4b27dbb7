import { setMaxListeners } from 'node:events';

/**
 * A signal that is aborted when any of its parent signals is aborted. `release` detaches it from its parents, so that long-lived parents do
 * not accumulate followers.
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
    releases.push(follow(parent, () => controller.abort(parent.reason)));
  }
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => {
      for (const release of releases) release();
    },
  };
}

/**
 * The followers of each signal, which share one listener. Adding or removing a listener takes time in proportion to the number of
 * listeners, and the scope of a process has one follower per request in flight.
 */
const FOLLOWERS = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `act` when the signal aborts, until the returned function is called. */
function follow(signal: AbortSignal, act: () => void): () => void {
  const followers = FOLLOWERS.get(signal) ?? createFollowers(signal);
  followers.add(act);
  return () => followers.delete(act);
}

function createFollowers(signal: AbortSignal): Set<() => void> {
  const followers = new Set<() => void>();
  FOLLOWERS.set(signal, followers);
  const abort = (): void => {
    for (const act of followers) act();
  };
  signal.addEventListener('abort', abort, { once: true });
  // Disable Node's warning about a possible listener leak. Each delay before a retry adds a listener of its own to this signal, so many
  // requests in flight cause many listeners.
  setMaxListeners(0, signal);
  return followers;
}

/** Settles with the result of `work`. Rejects as soon as the signal aborts, even if `work` never settles. */
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
