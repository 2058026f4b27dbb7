import { setMaxListeners } from 'node:events';

/** Resolves when all pending microtasks have run, as at the end of a real turn. */
export function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Creates an abort controller that many concurrent requests may use. Disables Node's warning, which treats more than ten listeners as a
 * leak.
 */
export function sharedAbortController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
