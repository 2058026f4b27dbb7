import { setMaxListeners } from 'node:events';

/** Resolves when every microtask that is due has run: a simulated turn ends where a real one would. */
export function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** An abort controller that many requests may follow at once; Node takes more than ten listeners for a leak. */
export function sharedAbortController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
