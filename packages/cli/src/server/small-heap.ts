import { setFlagsFromString } from 'node:v8';

/**
 * Configures this process for a small heap at the expense of speed, for a server that does little: the agent of one cluster. By default the
 * young generation grows to 32 MB in a one-second burst and never shrinks. Call it before other work, and `shrinkHeapWhenQuiet` after it.
 */
export function preferSmallHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  // Short bursts of work end before optimization pays off, so optimize only long-running code.
  setFlagsFromString('--interrupt-budget=1000000');
}
