/** Limits the number of concurrent holders. Waiters are served in order of arrival. */
export interface Slots {
  /** Resolves with a function that releases the slot. Rejects with the signal's reason if the signal aborts while waiting. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();

  const give = (): void => {
    const [next] = waiting;
    if (!next) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  };
  const once = (): (() => void) => {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      give();
    };
  };

  return {
    take(signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (free > 0) {
        free -= 1;
        return Promise.resolve(once());
      }
      return new Promise((resolve, reject) => {
        const served = (): void => {
          signal.removeEventListener('abort', abandoned);
          resolve(once());
        };
        const abandoned = (): void => {
          waiting.delete(served);
          reject(signal.reason);
        };
        waiting.add(served);
        signal.addEventListener('abort', abandoned, { once: true });
      });
    },
  };
}
