import { setFlagsFromString } from 'node:v8';

/**
 * Configures this process for a small heap at the expense of speed, for a server that does little: the agent of one cluster. By default the
 * young generation grows to 32 MB in a one-second burst and never shrinks, and the old generation may double before it is collected. Call
 * it before other work.
 */
export function preferSmallHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--optimize-for-size');
  // Short bursts of work end before optimization pays off, so optimize only long-running code.
  setFlagsFromString('--interrupt-budget=1000000');
}
