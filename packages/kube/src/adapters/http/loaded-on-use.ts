import type { Carrier } from './carrier.js';

/** A carrier whose code is loaded when the first message is sent. */
export function loadedOnUse(load: () => Promise<Carrier>): Carrier {
  let loading: Promise<Carrier> | undefined;
  return {
    async exchange(message, signal) {
      loading ??= load();
      return (await loading).exchange(message, signal);
    },
    async close() {
      await (await loading)?.close();
    },
  };
}
