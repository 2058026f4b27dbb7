import { setFlagsFromString } from 'node:v8';

/**
 * Configures this process for a small heap at the expense of speed. It is for a server that does little: the agent of one cluster. By
 * default the young generation grows to 32 MB in a one-second burst and never shrinks. It must be called before other work, and before
 * `shrinkHeapWhenQuiet`.
 */
export function preferSmallHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  // Optimize only long-running code, because short bursts of work end before optimization pays off.
  setFlagsFromString('--interrupt-budget=1000000');
}
